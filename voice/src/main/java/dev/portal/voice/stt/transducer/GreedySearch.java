package dev.portal.voice.stt.transducer;

import dev.portal.voice.stt.Transcript;

/** Picks the likeliest token for each frame, at most one. One thread at a time. */
final class GreedySearch implements Search {
    private final Joint joint;
    private final Tokens vocabulary;
    private TokenPath path = TokenPath.root(0);
    private double logProbability;

    GreedySearch(Joint joint, Tokens vocabulary) {
        this.joint = joint;
        this.vocabulary = vocabulary;
    }

    @Override
    public void start() {
        path = TokenPath.root(0);
        logProbability = 0;
    }

    @Override
    public void frame() {
        float[] likely = joint.logProbabilities(path);
        int best = 0;
        for (int i = 1; i < likely.length; i++) {
            if (likely[i] > likely[best]) {
                best = i;
            }
        }
        if (!vocabulary.isSilent(best)) {
            path = path.then(best, 0);
            logProbability += likely[best];
        }
    }

    @Override
    public String partial() {
        return vocabulary.text(path.tokens());
    }

    /** Its confidence is the geometric mean of the tokens' probabilities. */
    @Override
    public Transcript transcript() {
        return new Transcript(partial(), path.length() == 0 ? Double.NaN : Math.exp(logProbability / path.length()));
    }
}
