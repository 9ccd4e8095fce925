package dev.portal.app.models;

/**
 * One file that Portal knows: where it comes from, where it goes, and the checksum that says it is the right one.
 *
 * @param id the model or library set it belongs to: the word that {@code models fetch} takes
 * @param inside path inside the package
 * @param target path below Portal's home, or below its sources for {@code repository}, with {@code /} between the parts
 * @param bytes exact size
 * @param sha256 64 lower-case hexadecimal digits
 */
record ModelFile(
        String id,
        Kind kind,
        PackageRef origin,
        String licence,
        String inside,
        String target,
        long bytes,
        String sha256) {
    /** What a file is for. */
    enum Kind {
        VAD,
        STT,
        TTS,
        LLM,
        INTENTS,
        NATIVE,
        AUDIO
    }

    boolean runsOn(String architecture) {
        return origin.architecture().equals("any") || origin.architecture().equals(architecture);
    }

    /** The same file from another version of its package. */
    ModelFile as(String version, long otherBytes, String otherSha256) {
        return new ModelFile(id, kind, origin.at(version), licence, inside, target, otherBytes, otherSha256);
    }

    String name() {
        return target.substring(target.lastIndexOf('/') + 1);
    }
}
