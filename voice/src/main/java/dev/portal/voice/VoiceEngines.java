package dev.portal.voice;

import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.intent.NluMatcher;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.vad.InferenceObserver;
import dev.portal.voice.vad.VoiceDetector;
import java.util.Optional;
import java.util.Set;

/**
 * Makes the engines that {@link Voice} puts under its arbiter. Each is asked for once at most; {@link Voice} closes what
 * it was given. An engine that cannot be had is an exception that says what to do.
 */
public interface VoiceEngines {
    /** Whether a workload computes on the NPU; where it does not, its jobs go to the CPU lanes. */
    boolean usesNpu(NpuWorkload workload);

    /** The voice activity detector; it reports its inferences to {@code hook}. */
    VoiceDetector detector(InferenceObserver hook);

    /** The recognizer; its inferences are jobs of {@code inference}. */
    StreamingRecognizer recognizer(Inference inference);

    /** The voice. */
    SpeechEngine speech();

    /** The language model; its answers are jobs of {@code inference}. */
    LanguageModel languageModel(Inference inference);

    /** The intent matcher, where a feature asks for it. */
    Optional<NluMatcher> intents(Set<Feature> features);
}
