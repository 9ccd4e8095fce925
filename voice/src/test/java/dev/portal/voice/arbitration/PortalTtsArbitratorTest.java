package dev.portal.voice.arbitration;

import static dev.portal.voice.arbitration.SpeechPriority.AMBIENT;
import static dev.portal.voice.arbitration.SpeechPriority.PROACTIVE_NOTIFICATION;
import static dev.portal.voice.arbitration.SpeechPriority.SYSTEM_CRITICAL;
import static dev.portal.voice.arbitration.SpeechPriority.USER_INTENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PortalTtsArbitratorTest {
    private final PortalTtsArbitrator arbitrator = new PortalTtsArbitrator();

    private RecordingListener request(SpeechPriority priority) {
        RecordingListener listener = new RecordingListener();
        arbitrator.request(priority, priority + " speech", listener);
        return listener;
    }

    @Test
    void aFreeSlotIsGrantedAtOnceAndClosingFreesIt() {
        RecordingListener first = request(AMBIENT);
        assertThat(first.speaks()).isTrue();
        assertThat(arbitrator.speaking()).contains(AMBIENT);
        first.token().close();
        assertThat(first.speaks()).isFalse();
        assertThat(arbitrator.speaking()).isEmpty();
    }

    @Test
    void preemptionFollowsTheSeedsTableForEveryPairOfPriorities() {
        for (SpeechPriority active : SpeechPriority.values()) {
            for (SpeechPriority incoming : SpeechPriority.values()) {
                boolean expected = incoming == SYSTEM_CRITICAL || incoming.value() > active.value();
                PortalTtsArbitrator fresh = new PortalTtsArbitrator();
                RecordingListener holder = new RecordingListener();
                RecordingListener comer = new RecordingListener();
                fresh.request(active, "holder", holder);
                fresh.request(incoming, "comer", comer);
                assertThat(comer.speaks()).as("%s over %s", incoming, active).isEqualTo(expected);
                assertThat(holder.speaks()).as("%s under %s", active, incoming).isEqualTo(!expected);
            }
        }
    }

    @Test
    void prioritiesHaveTheSeedsValues() {
        assertThat(Stream.of(SpeechPriority.values()).map(SpeechPriority::value))
                .containsExactly(0, 1, 2, 3);
        assertThat(PortalTtsArbitrator.DEFAULT_CAPACITY).isEqualTo(5);
    }

    @Test
    void waitingRequestsAreGrantedByImportanceThenByAge() {
        RecordingListener speaking = request(USER_INTENT);
        RecordingListener ambient = request(AMBIENT);
        RecordingListener firstUser = request(USER_INTENT);
        RecordingListener secondUser = request(USER_INTENT);
        List<RecordingListener> order = new ArrayList<>(List.of(firstUser, secondUser, ambient));
        for (RecordingListener next : order) {
            speaking.token().close();
            assertThat(next.speaks()).isTrue();
            speaking = next;
        }
    }

    @Test
    void aFullQueueEvictsItsLowestNewestEntryForAMoreImportantOne() {
        request(SYSTEM_CRITICAL);
        RecordingListener user = request(USER_INTENT);
        RecordingListener oldAmbient = request(AMBIENT);
        RecordingListener newAmbient = request(AMBIENT);
        request(PROACTIVE_NOTIFICATION);
        request(PROACTIVE_NOTIFICATION);
        assertThat(arbitrator.queueDepth()).isEqualTo(5);
        RecordingListener incoming = request(USER_INTENT);
        assertThat(newAmbient.heard()).containsExactly("dropped");
        assertThat(Stream.of(user, oldAmbient, incoming).map(RecordingListener::heard))
                .allMatch(List::isEmpty);
        assertThat(arbitrator.queueDepth()).isEqualTo(5);
    }

    @Test
    void theIncomingRequestGoesWhenItIsTheLowestAndNewest() {
        request(SYSTEM_CRITICAL);
        List<RecordingListener> waiting =
                Stream.generate(() -> request(AMBIENT)).limit(5).toList();
        RecordingListener incoming = request(AMBIENT);
        assertThat(incoming.heard()).containsExactly("dropped");
        assertThat(waiting).allMatch(listener -> listener.heard().isEmpty());
        assertThat(arbitrator.stats().dropped()).isEqualTo(1);
    }

    @Test
    void aNewerCriticalRequestReplacesTheOlderWhichSpeaksAgainNext() {
        RecordingListener older = request(SYSTEM_CRITICAL);
        SpeechToken lost = older.token();
        RecordingListener newer = request(SYSTEM_CRITICAL);
        assertThat(older.heard()).containsExactly("granted", "REQUEUED");
        lost.close();
        assertThat(newer.speaks()).isTrue();
        newer.token().close();
        assertThat(older.speaks()).isTrue();
        assertThat(older.grants()).isEqualTo(2);
    }

    @Test
    void aCriticalRequestReplacedTwiceWaitsBehindTheOtherCriticalOnes() {
        RecordingListener first = request(SYSTEM_CRITICAL);
        request(SYSTEM_CRITICAL).token().close();
        assertThat(first.speaks()).isTrue();
        RecordingListener third = request(SYSTEM_CRITICAL);
        RecordingListener fourth = request(SYSTEM_CRITICAL);
        fourth.token().close();
        assertThat(third.speaks()).as("replaced once: at the front").isTrue();
        third.token().close();
        assertThat(first.speaks()).as("replaced twice: behind, but not lost").isTrue();
    }

    @Test
    void nothingButCriticalRequestsInAFullQueueRefusesOneMore() {
        List<RecordingListener> critical =
                Stream.generate(() -> request(SYSTEM_CRITICAL)).limit(6).toList();
        RecordingListener seventh = request(SYSTEM_CRITICAL);
        assertThat(seventh.heard()).containsExactly("dropped");
        assertThat(critical).noneMatch(listener -> listener.heard().contains("dropped"));
        for (int i = 5; i >= 0; i--) {
            assertThat(critical.get(i).speaks()).isTrue();
            critical.get(i).token().close();
        }
    }

    @Test
    void criticalWaitsForCriticalWhereConfiguredSo() {
        PortalTtsArbitrator patient = new PortalTtsArbitrator(1, PortalTtsArbitrator.CriticalOverCritical.WAIT);
        RecordingListener older = new RecordingListener();
        RecordingListener newer = new RecordingListener();
        patient.request(SYSTEM_CRITICAL, "older", older);
        patient.request(SYSTEM_CRITICAL, "newer", newer);
        assertThat(older.speaks()).isTrue();
        older.token().close();
        assertThat(newer.speaks()).isTrue();
    }

    @Test
    void bargeInVacatesTheSlotAndDropsWhatWaits() {
        RecordingListener speaking = request(USER_INTENT);
        RecordingListener waiting = request(AMBIENT);
        assertThat(arbitrator.bargeIn()).isTrue();
        assertThat(speaking.heard()).containsExactly("granted", "BARGE_IN");
        assertThat(waiting.heard()).containsExactly("dropped");
        assertThat(arbitrator.speaking()).isEmpty();
        assertThat(arbitrator.bargeIn()).as("one shot").isFalse();
        assertThat(request(AMBIENT).speaks()).isTrue();
    }

    @Test
    void bargeInLeavesCriticalSpeechAndItsQueueAlone() {
        RecordingListener critical = request(SYSTEM_CRITICAL);
        RecordingListener waiting = request(AMBIENT);
        assertThat(arbitrator.bargeIn()).isFalse();
        assertThat(critical.speaks()).isTrue();
        assertThat(waiting.heard()).isEmpty();
    }

    @Test
    void aTokenReleasesOnceOnly() {
        RecordingListener first = request(USER_INTENT);
        RecordingListener second = request(USER_INTENT);
        RecordingListener third = request(USER_INTENT);
        first.token().close();
        first.token().close();
        assertThat(second.speaks()).isTrue();
        assertThat(third.heard()).isEmpty();
    }

    @Test
    void aWithdrawnRequestIsNeitherGrantedNorTold() {
        RecordingListener speaking = new RecordingListener();
        SpeechRequest holder = arbitrator.request(USER_INTENT, "holder", speaking);
        RecordingListener taken = new RecordingListener();
        SpeechRequest waiting = arbitrator.request(USER_INTENT, "waiting", taken);
        RecordingListener last = request(USER_INTENT);
        waiting.withdraw();
        holder.withdraw();
        assertThat(speaking.heard()).containsExactly("granted");
        assertThat(speaking.speaks()).isFalse();
        assertThat(taken.heard()).isEmpty();
        assertThat(last.speaks()).isTrue();
    }

    @Test
    void aListenerMayAskAgainFromItsCallback() {
        RecordingListener second = new RecordingListener();
        arbitrator.request(AMBIENT, "first", new SpeechListener() {
            @Override
            public void granted(SpeechToken token) {
                token.close();
                arbitrator.request(AMBIENT, "second", second);
            }

            @Override
            public void vacated(SpeechToken token, Cause cause) {}

            @Override
            public void dropped(SpeechQueueDropped why) {}
        });
        assertThat(second.speaks()).isTrue();
    }

    @Test
    void aCapacityBelowOneIsRefusedWithItsValue() {
        assertThatThrownBy(
                        () -> new PortalTtsArbitrator(0, PortalTtsArbitrator.CriticalOverCritical.REPLACE_AND_REQUEUE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
    }
}
