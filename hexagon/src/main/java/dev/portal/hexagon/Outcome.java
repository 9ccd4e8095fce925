package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;

/**
 * The three outcomes of a FastRPC ioctl (spec 1.5): exactly 0 is success; -1 is the kernel's refusal, with an errno;
 * anything else, negative or positive, is the DSP's own result. A DSP result of -1 to -4095 reads as an errno, and no
 * caller can tell.
 */
public sealed interface Outcome {
    /** The call ran and succeeded. */
    record Success() implements Outcome {
        static final Success INSTANCE = new Success();
    }

    /** The kernel refused it, or it was interrupted, or the DSP went away under it. */
    record KernelError(int errno) implements Outcome {
        @Override
        public String toString() {
            return "refused by the kernel: " + Errno.describe(errno);
        }
    }

    /** The DSP ran it and says this. */
    record DspResult(int result) implements Outcome {
        @Override
        public String toString() {
            return "answered by the DSP: " + AeeError.describe(result);
        }
    }

    /** What an answer of the seam means. */
    static Outcome of(long answer) {
        if (Answer.failed(answer)) {
            return new KernelError(Answer.errno(answer));
        }
        int value = Answer.value(answer);
        return value == 0 ? Success.INSTANCE : new DspResult(value);
    }

    /** Whether it is exactly success; without an object, for the hot path. */
    static boolean succeeded(long answer) {
        return answer == 0;
    }
}
