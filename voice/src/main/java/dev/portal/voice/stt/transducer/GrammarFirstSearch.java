package dev.portal.voice.stt.transducer;

import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.grammar.SentenceAutomaton;
import dev.portal.voice.stt.transducer.BeamSearch.Scored;

/** Looks for any text, and for a sentence of a grammar, which is taken where it is about as likely. */
final class GrammarFirstSearch implements Search {
    /** Texts that are kept side by side. */
    private static final int BEAM = 8;

    private final Tokens vocabulary;
    private final BeamSearch anything;
    private final BeamSearch sentences;
    private final double margin;

    /** @param margin by which a sentence's logarithm of the probability may be less, for each token */
    GrammarFirstSearch(Joint joint, Tokens vocabulary, SentenceAutomaton grammar, double margin) {
        this.vocabulary = vocabulary;
        this.margin = margin;
        anything = new BeamSearch(joint, vocabulary, null, BEAM);
        sentences = new BeamSearch(joint, vocabulary, grammar, BEAM);
    }

    @Override
    public void start() {
        anything.start();
        sentences.start();
    }

    @Override
    public void frame() {
        anything.frame();
        sentences.frame();
    }

    @Override
    public String partial() {
        return vocabulary.text(anything.best().path().tokens());
    }

    @Override
    public Transcript transcript() {
        Scored said = said();
        int length = said.path().length();
        double confidence = length == 0 ? Double.NaN : Math.exp(Math.min(0, said.logProbability() / length));
        return new Transcript(vocabulary.text(said.path().tokens()), confidence);
    }

    /** Where no word was heard there is no sentence, either. */
    private Scored said() {
        Scored any = anything.best();
        Scored sentence = sentences.whole();
        int length = any.path().length();
        if (sentence == null || length == 0) {
            return any;
        }
        return any.logProbability() - sentence.logProbability() <= margin * length ? sentence : any;
    }
}
