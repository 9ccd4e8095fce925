package dev.portal.app.rk;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --profile}. */
final class ProfileConverter implements ITypeConverter<EmulatedProfile> {
    @Override
    public EmulatedProfile convert(String value) {
        for (EmulatedProfile profile : EmulatedProfile.values()) {
            if (profile.toString().equals(value)) {
                return profile;
            }
        }
        throw new TypeConversionException("'" + value + "' is not halt-sticks or halt-retires");
    }
}
