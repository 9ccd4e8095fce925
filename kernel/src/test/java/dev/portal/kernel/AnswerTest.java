package dev.portal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswerTest {
    @Test
    void largeNegativeAnswersAreAnswersAndNotErrors() {
        long answer = Answer.of(0x80000406);
        assertThat(Answer.value(answer)).isEqualTo(0x80000406);
        assertThat(Answer.failed(answer)).isFalse();
        assertThat(Answer.errno(answer)).isZero();
    }

    @Test
    void minusOneCarriesItsErrno() {
        long answer = Answer.error(Errno.ETIMEDOUT);
        assertThat(Answer.value(answer)).isEqualTo(-1);
        assertThat(Answer.errno(answer)).isEqualTo(110);
        assertThat(Answer.failed(answer)).isTrue();
        assertThat(Answer.describe(answer)).isEqualTo("-1 ETIMEDOUT (110)");
        assertThat(Errno.describe(77)).isEqualTo("errno 77");
    }
}
