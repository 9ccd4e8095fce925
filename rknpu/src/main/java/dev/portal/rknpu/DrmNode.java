package dev.portal.rknpu;

/**
 * A node of the graphics subsystem and the driver behind it.
 *
 * @param path of the node
 * @param driver the driver's name, empty when it could not be asked
 * @param version major.minor.patch as the driver says it
 * @param date as the driver says it
 * @param errno why it could not be opened or asked; otherwise 0
 */
public record DrmNode(String path, String driver, String version, String date, int errno) {}
