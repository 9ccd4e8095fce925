package dev.portal.app.models;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The user's word for a package version that is not the pinned one: {@code NAME=VERSION@SHA256}. The checksum is that of
 * the whole archive, and takes the place of the pinned checksums of the files in it.
 */
record Acceptance(String packageName, String version, String sha256) {
    private static final Pattern FORM = Pattern.compile("(.+?)=(.+)@([0-9a-f]{64})");

    static Acceptance parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not NAME=VERSION@SHA256, with 64 lower-case hexadecimal digits at the end");
        }
        return new Acceptance(matcher.group(1), matcher.group(2), matcher.group(3));
    }
}
