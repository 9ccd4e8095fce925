package dev.portal.app.models;

import java.util.Locale;

/**
 * One package at one version for one architecture: what is downloaded as a whole.
 *
 * @param architecture {@code x86_64}, {@code aarch64}, or {@code any} for a package that has no machine code
 */
record PackageRef(Registry registry, String name, String version, String architecture) {
    /** Whose package it is, and so which program brings it. */
    enum Registry {
        NPM,
        DEBIAN,
        MAVEN,
        /** No registry: the file is part of Portal's own sources. */
        REPOSITORY;

        static Registry of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    PackageRef at(String otherVersion) {
        return new PackageRef(registry, name, otherVersion, architecture);
    }

    @Override
    public String toString() {
        return registry.word() + " " + name + " " + version;
    }
}
