package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.turn.TurnEvent.Kind;
import dev.portal.voice.turn.TurnEvent.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random conversations: speech and silence of all lengths, noises, hesitating probabilities, engines of all speeds,
 * announcements, cancels. What must hold is checked on every event and every sample that was played. {@code
 * -Dportal.seed=N} runs one seed.
 */
class ConversationPropertyTest {
    private static final int STEPS = 40;

    static Stream<Long> fewSeeds() {
        return seeds(40);
    }

    static Stream<Long> manySeeds() {
        return seeds(1_000);
    }

    private static Stream<Long> seeds(long count) {
        Long one = Long.getLong("portal.seed");
        return one != null ? Stream.of(one) : LongStream.rangeClosed(1, count).boxed();
    }

    @ParameterizedTest
    @MethodSource("fewSeeds")
    void randomConversationsKeepTheirPromises(long seed) {
        check(seed);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void manyRandomConversationsKeepTheirPromises(long seed) {
        check(seed);
    }

    private static void check(long seed) {
        ScriptedWorld world = converse(seed);
        try {
            everyTurnEndsOnce(world);
            nothingOfAnEndedTurnPlays(world);
            nothingIsLeft(world);
            interruptionsAreConfirmedInTime(world);
            aReplyIsInterruptedOrHeardButNotBoth(world);
            criticalSpeechIsNeverCut(world);
            everyWordIsAnsweredOnce(world);
            playedSoundIsInOrder(world);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + "; rerun: mvn -pl voice -am test -Dtest=ConversationPropertyTest -Dportal.seed="
                            + seed + " -Dsurefire.failIfNoSpecifiedTests=false\n" + world.log(),
                    e);
        }
    }

    private static ScriptedWorld converse(long seed) {
        RandomStream random = new RandomStream(seed).derive("conversation");
        ScriptedWorld world = new ScriptedWorld();
        world.latencies = new ScriptedWorld.Latencies(
                random.nextInt(1, 1_200),
                random.nextInt(1, 2_500),
                random.nextInt(1, 150),
                random.nextInt(1, 600),
                random.nextInt(1, 25),
                random.nextInt(1, 300));
        world.samplesPerCharacter = random.nextInt(200, 1_200);
        int silent = random.nextInt(2, 12);
        world.words = turn -> turn % silent == 0 ? "" : "words of turn " + turn;
        world.reply = turn -> "A sentence of the reply to turn " + turn + ". ".repeat(1 + (int) (turn % 2))
                + "More words follow here. ".repeat((int) (turn * 7 % 6));
        int announcements = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> speech(world, random, random.nextInt(8, 60));
                case 4 -> speech(world, random, random.nextInt(1, 8));
                case 5 -> world.silence(random.nextInt(90, 250));
                case 6 -> {
                    SpeechPriority priority = any(random, SpeechPriority.values());
                    String text = "Announcement " + ++announcements + " is said. ";
                    announce(world, priority, text.repeat(random.nextInt(1, 3)));
                }
                case 7 -> {
                    if (random.nextInt(4) == 0) {
                        long newest = world.events.isEmpty()
                                ? 1
                                : world.events.getLast().turn();
                        world.inbox.post(new Signal.CancelRequested(newest, "test"));
                    }
                }
                default -> world.silence(random.nextInt(1, 80));
            }
        }
        world.settle();
        return world;
    }

    private static void announce(ScriptedWorld world, SpeechPriority priority, String text) {
        if (priority == SpeechPriority.SYSTEM_CRITICAL) {
            world.criticalTexts.add(text);
        }
        world.inbox.post(new Signal.Announcement(priority, text));
    }

    /** Speech whose probability sometimes dips between the two thresholds or, for a window, below both. */
    private static void speech(ScriptedWorld world, RandomStream random, int windows) {
        boolean steady = random.nextBoolean();
        for (int i = 0; i < windows; i++) {
            int dip = steady ? 9 : random.nextInt(10);
            world.window(dip == 0 ? 0.1f : dip == 1 ? 0.4f : 0.9f);
        }
    }

    private static void everyTurnEndsOnce(ScriptedWorld world) {
        Set<Long> begun = new HashSet<>();
        Map<Long, Integer> ended = new HashMap<>();
        for (TurnEvent event : world.events) {
            if (event.kind() == Kind.SPEECH_STARTED || event.kind() == Kind.ANNOUNCED) {
                begun.add(event.turn());
            } else if (event.kind() == Kind.ENDED) {
                ended.merge(event.turn(), 1, Integer::sum);
            }
        }
        assertThat(ended.keySet()).isEqualTo(begun);
        assertThat(ended.values()).allMatch(count -> count == 1);
    }

    private static void nothingOfAnEndedTurnPlays(ScriptedWorld world) {
        Map<Long, Long> endedAt = new HashMap<>();
        world.events.stream()
                .filter(event -> event.kind() == Kind.ENDED)
                .forEach(event -> endedAt.put(event.turn(), event.atSample()));
        for (ScriptedWorld.Run run : world.played) {
            assertThat(run.endSample())
                    .as("end of sound of turn %d", run.turn())
                    .isLessThanOrEqualTo(endedAt.getOrDefault(run.turn(), 0L));
        }
    }

    private static void nothingIsLeft(ScriptedWorld world) {
        assertThat(world.jobsRunning).isZero();
        assertThat(world.arbitrator.speaking()).isEmpty();
        assertThat(world.arbitrator.queueDepth()).isZero();
        assertThat(world.inbox.poll()).isNull();
        assertThat(world.events(Kind.FAILED)).isEmpty();
        for (TurnEvent cancelled : world.events(Kind.CANCELLED)) {
            world.event(Kind.WENT_IDLE, cancelled.turn());
        }
    }

    /** Soft after two windows over the threshold, hard after six; with dips later, but never after the soft stop's end. */
    private static void interruptionsAreConfirmedInTime(ScriptedWorld world) {
        for (TurnEvent hard : world.events(Kind.HARD_STOPPED)) {
            TurnEvent onset = last(world, Kind.ONSET, hard);
            TurnEvent soft = last(world, Kind.SOFT_STOPPED, hard);
            assertThat(onset.text()).isEqualTo(hard.text());
            long quiet = world.quietWindows(onset.atSample(), hard.atSample());
            assertThat(hard.atSample() - onset.atSample() - quiet * ScriptedWorld.WINDOW)
                    .as("windows over the threshold until the hard stop")
                    .isEqualTo(6 * ScriptedWorld.WINDOW);
            assertThat(hard.atSample() - soft.atSample()).isLessThanOrEqualTo(8_000 + ScriptedWorld.WINDOW);
        }
        for (TurnEvent resumed : world.events(Kind.RESUMED)) {
            long soft = last(world, Kind.SOFT_STOPPED, resumed).atSample();
            assertThat(resumed.atSample() - soft).isBetween(8_000L, 8_000L + ScriptedWorld.WINDOW);
        }
    }

    private static TurnEvent last(ScriptedWorld world, Kind kind, TurnEvent before) {
        return world.events.subList(0, world.events.indexOf(before)).stream()
                .filter(event -> event.kind() == kind && event.turn() == before.turn())
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    /** Where an utterance over a reply became a turn of its own, nothing of that reply played after its soft stop. */
    private static void aReplyIsInterruptedOrHeardButNotBoth(ScriptedWorld world) {
        for (TurnEvent hard : world.events(Kind.HARD_STOPPED)) {
            long soft = last(world, Kind.SOFT_STOPPED, hard).atSample();
            assertThat(world.played).noneMatch(run -> run.turn() == hard.turn() && run.endSample() > soft);
        }
        for (TurnEvent resumed : world.events(Kind.RESUMED)) {
            long none = Long.parseLong(resumed.text());
            assertThat(world.asked).doesNotContainKey(none);
            assertThat(world.played).noneMatch(run -> run.turn() == none);
        }
    }

    private static void criticalSpeechIsNeverCut(ScriptedWorld world) {
        for (TurnEvent announced : world.events(Kind.ANNOUNCED)) {
            if (world.criticalTexts.contains(announced.text())) {
                String outcome = world.event(Kind.ENDED, announced.turn()).text();
                assertThat(outcome).isIn(Outcome.ANSWERED.name(), Outcome.CANCELLED.name());
            }
        }
    }

    /** Each utterance that ended a turn is part of exactly one question that was asked to the end, or of none at all. */
    private static void everyWordIsAnsweredOnce(ScriptedWorld world) {
        Map<String, Integer> answered = new HashMap<>();
        for (TurnEvent ended : world.events(Kind.ENDED)) {
            boolean whole = !ended.text().equals(Outcome.CONTINUED.name());
            if (whole && world.asked.containsKey(ended.turn())) {
                for (String word : world.asked(ended.turn()).getLast().text().split("words of turn ")) {
                    if (!word.isBlank()) {
                        answered.merge(word.strip(), 1, Integer::sum);
                    }
                }
            }
        }
        assertThat(answered.values()).allMatch(times -> times == 1);
    }

    private static void playedSoundIsInOrder(ScriptedWorld world) {
        Map<Long, Integer> next = new HashMap<>();
        Set<Long> requeued = new HashSet<>();
        world.events(Kind.REQUEUED).forEach(event -> requeued.add(event.turn()));
        long end = 0;
        for (ScriptedWorld.Run run : world.played) {
            assertThat(run.atSample()).isGreaterThanOrEqualTo(end);
            end = run.endSample();
            int expected = next.getOrDefault(run.turn(), 0);
            if (!requeued.contains(run.turn())) {
                assertThat(run.index())
                        .as("next sample of turn %d at %d", run.turn(), run.atSample())
                        .isEqualTo(expected % 65_536);
            }
            next.put(run.turn(), expected + run.count());
        }
    }

    private static <T> T any(RandomStream random, T[] values) {
        return values[random.nextInt(values.length)];
    }
}
