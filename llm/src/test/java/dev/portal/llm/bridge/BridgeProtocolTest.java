package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BridgeProtocolTest {
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static BridgeProtocol.Message parse(String line) throws ProtocolException {
        return BridgeProtocol.parse(utf8(line), 0);
    }

    @Test
    void readsEachKindOfMessageAndIgnoresUnknownFields() throws ProtocolException {
        assertThat(parse("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{},\"x\":[1]}"))
                .isInstanceOfSatisfying(
                        BridgeProtocol.Message.Request.class,
                        m -> assertThat(m.method()).isEqualTo("ping"));
        assertThat(parse("{\"method\":\"token\",\"params\":{\"seq\":3}}"))
                .isInstanceOfSatisfying(
                        BridgeProtocol.Message.Notification.class,
                        m -> assertThat(BridgeProtocol.integer(m.params(), "seq", -1))
                                .isEqualTo(3));
        assertThat(parse(" {\"id\":\"a\",\"result\":{}} ")).isInstanceOf(BridgeProtocol.Message.Result.class);
        assertThat(parse("{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}"))
                .isInstanceOfSatisfying(BridgeProtocol.Message.Failure.class, m -> {
                    assertThat(m.id()).isNull();
                    assertThat(m.code()).isEqualTo(BridgeProtocol.PARSE_ERROR);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Loading 10%",
                "[]",
                "7",
                "null",
                "{}",
                "{\"id\":\"a\"}",
                "{\"id\":7,\"result\":{}}",
                "{\"result\":{}}",
                "{\"id\":\"a\",\"error\":{\"message\":\"no code\"}}",
                "{\"id\":\"a\",\"result\":{}} {}",
                "{\"id\":\"a\",\"result\":{}",
                "{'id':'a','result':{}}",
                "\uFEFF{\"id\":\"a\",\"result\":{}}",
                "{\"id\":\"a\",\"id\":\"b\"\"result\":{}}",
            })
    void refusesWhatIsNoMessage(String line) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(ProtocolException.class);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1000", "0, 0"})
    void sayWhereInTheStreamALineBreaks(long offset, long base) {
        assertThatThrownBy(() -> BridgeProtocol.parse(utf8("{\"é\":\"ok\",x}"), offset))
                .isInstanceOfSatisfying(
                        ProtocolException.class,
                        // The x stands after 11 bytes; the parser may name it or its neighbours.
                        e -> assertThat(e.offset() - base).isBetween(10L, 13L));
        byte[] broken = utf8("{\"id\":\"a\",\"result\":{}}");
        broken[7] = (byte) 0xff;
        assertThatThrownBy(() -> BridgeProtocol.parse(broken, offset))
                .isInstanceOfSatisfying(
                        ProtocolException.class,
                        e -> assertThat(e.offset() - base).isEqualTo(7));
    }

    @Test
    void aMessageLongerThanALineIsRefusedBeforeItIsSent() {
        assertThatThrownBy(() -> BridgeProtocol.request(
                        "a", "generate", BridgeProtocol.object().put("prompt", "x".repeat(1 << 20))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shorten the prompt");
    }

    @Test
    void whatIsWrittenReadsBackAsOneLine() throws ProtocolException {
        String awkward = "line\nbreak \r tab\t quote\" back\\ nul\0 grüß 🙂";
        byte[] line = BridgeProtocol.request(
                awkward, "generate", BridgeProtocol.object().put("prompt", awkward));
        assertThat(line).endsWith((byte) '\n').doesNotContain((byte) '\r');
        List<LineSplitter.Line> lines = new ArrayList<>();
        new LineSplitter(1000).feed(line, line.length, lines::add);
        assertThat(lines).hasSize(1);
        assertThat(BridgeProtocol.parse(lines.getFirst().bytes(), 0))
                .isInstanceOfSatisfying(BridgeProtocol.Message.Request.class, m -> {
                    assertThat(m.id()).isEqualTo(awkward);
                    assertThat(BridgeProtocol.string(m.params(), "prompt")).isEqualTo(awkward);
                });
    }

    static LongStream seeds() {
        String one = System.getProperty("portal.seed");
        return one != null ? LongStream.of(Long.parseLong(one)) : LongStream.rangeClosed(1, 20);
    }

    /** Damaged lines: the parser answers or refuses, and its offsets stay within the line. */
    @ParameterizedTest
    @MethodSource("seeds")
    void noBytesBringTheParserDown(long seed) {
        RandomStream random = new RandomStream(seed).derive("protocol");
        byte[][] corpus = {
            utf8(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"token\",\"params\":{\"id\":\"a\",\"seq\":0,\"text\":\"grüß\",\"n\":1}}"),
            utf8("{\"id\":\"a\",\"result\":{\"text\":\"x\",\"usage\":{\"prompt_tokens\":12}}}"),
            utf8("{\"id\":\"a\",\"error\":{\"code\":-32005,\"message\":\"m\",\"data\":{\"geniex_code\":-100003}}}"),
            utf8("[".repeat(5000)),
        };
        for (int round = 0; round < 200; round++) {
            byte[] line = corpus[random.nextInt(corpus.length)].clone();
            for (int damage = random.nextInt(4); damage >= 0; damage--) {
                line = damaged(line, random);
            }
            try {
                BridgeProtocol.parse(line, 100);
            } catch (ProtocolException e) {
                assertThat(e.offset()).as(rerun(seed)).isBetween(100L, 100L + line.length);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(rerun(seed) + " line " + Arrays.toString(line), e);
            }
        }
    }

    private static byte[] damaged(byte[] line, RandomStream random) {
        int at = random.nextInt(line.length + 1);
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(line, at);
            case 1 -> {
                byte[] longer = Arrays.copyOf(line, line.length + 1);
                System.arraycopy(line, at, longer, at + 1, line.length - at);
                longer[at] = (byte) random.nextInt(256);
                yield longer;
            }
            case 2 -> {
                byte[] twice = Arrays.copyOf(line, line.length + at);
                System.arraycopy(line, 0, twice, line.length, at);
                yield twice;
            }
            default -> {
                byte[] flipped = line.clone();
                if (at < flipped.length) {
                    flipped[at] ^= (byte) (1 << random.nextInt(8));
                }
                yield flipped;
            }
        };
    }

    /** Whatever the pieces, the splitter gives what a plain split of the whole gives. */
    @ParameterizedTest
    @MethodSource("seeds")
    void piecesDoNotMatterToTheSplitter(long seed) throws ProtocolException {
        RandomStream random = new RandomStream(seed).derive("splitter");
        for (int round = 0; round < 100; round++) {
            byte[] stream = new byte[random.nextInt(200)];
            for (int i = 0; i < stream.length; i++) {
                stream[i] = (byte) "ab\r\n".charAt(random.nextInt(4));
            }
            List<String> expected = new ArrayList<>();
            List<Long> offsets = new ArrayList<>();
            int start = 0;
            for (int i = 0; i < stream.length; i++) {
                if (stream[i] == '\n') {
                    String line = new String(stream, start, i - start, StandardCharsets.UTF_8);
                    expected.add(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
                    offsets.add((long) start);
                    start = i + 1;
                }
            }
            List<LineSplitter.Line> lines = new ArrayList<>();
            LineSplitter splitter = new LineSplitter(1000);
            for (int from = 0; from < stream.length; ) {
                int count = Math.min(stream.length - from, 1 + random.nextInt(7));
                splitter.feed(Arrays.copyOfRange(stream, from, from + count), count, lines::add);
                from += count;
            }
            assertThat(lines.stream().map(l -> new String(l.bytes(), StandardCharsets.UTF_8)))
                    .as(rerun(seed))
                    .containsExactlyElementsOf(expected);
            assertThat(lines.stream().map(LineSplitter.Line::offset)).containsExactlyElementsOf(offsets);
            assertThat(splitter.unfinishedBytes()).isEqualTo(stream.length - start);
        }
    }

    @Test
    void aLineOfTheFullLengthPassesAndOneMoreByteDoesNot() throws ProtocolException {
        List<LineSplitter.Line> lines = new ArrayList<>();
        byte[] full = utf8("x".repeat(100) + "\r\n");
        new LineSplitter(100).feed(full, full.length, lines::add);
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line.bytes()).hasSize(100));
        byte[] more = utf8("x".repeat(101) + "\n");
        assertThatThrownBy(() -> new LineSplitter(100).feed(more, more.length, lines::add))
                .isInstanceOf(ProtocolException.class);
    }

    private static String rerun(long seed) {
        return "seed " + seed + "; rerun: mvn -pl llm -am test -Dtest=BridgeProtocolTest -Dportal.seed=" + seed
                + " -Dsurefire.failIfNoSpecifiedTests=false";
    }
}
