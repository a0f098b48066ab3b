// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import dev.rabbitbridge.harness.node.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.rmi.UnmarshalException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** The MBeans of a worker. Connects at the first question, and anew after a restart. */
public final class Jmx implements AutoCloseable {
  private final Endpoint endpoint;
  private @Nullable JMXConnector connector;

  Jmx(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Options that make a JVM answer; the port must be the same inside and outside of a container.
   */
  static String[] options(Endpoint advertised, String bind) {
    return new String[] {
      "-Dcom.sun.management.jmxremote.port=" + advertised.port(),
      "-Dcom.sun.management.jmxremote.rmi.port=" + advertised.port(),
      "-Dcom.sun.management.jmxremote.host=" + bind,
      "-Dcom.sun.management.jmxremote.authenticate=false",
      "-Dcom.sun.management.jmxremote.ssl=false",
      "-Djava.rmi.server.hostname=" + advertised.host()
    };
  }

  /**
   * Lists MBeans.
   *
   * @param pattern such as {@code kafka.connect:type=plugins,connector=orders,*}
   * @return the matching names
   */
  public synchronized Set<String> names(String pattern) {
    try {
      Set<String> names = new TreeSet<>();
      connection()
          .queryNames(new ObjectName(pattern), null)
          .forEach(name -> names.add(name.getCanonicalName()));
      return names;
    } catch (JMException e) {
      throw new IllegalArgumentException(pattern, e);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Reads an attribute of an MBean.
   *
   * @param name the MBean
   * @param attribute such as {@code confirmed-total}
   * @return its value as a number
   * @throws IllegalArgumentException if there is no such MBean or attribute
   */
  public synchronized double number(String name, String attribute) {
    try {
      return ((Number) connection().getAttribute(new ObjectName(name), attribute)).doubleValue();
    } catch (JMException e) {
      throw new IllegalArgumentException(name + " " + attribute, e);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Returns how much of the heap is in use after a garbage collection.
   *
   * @return bytes
   */
  public synchronized long usedHeap() {
    try {
      ObjectName memory = new ObjectName("java.lang:type=Memory");
      connection().invoke(memory, "gc", null, null);
      CompositeData usage = (CompositeData) connection().getAttribute(memory, "HeapMemoryUsage");
      return ((Number) usage.get("used")).longValue();
    } catch (JMException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Returns how much memory the threads that live now have ever allocated.
   *
   * @return bytes by the thread's id
   */
  public synchronized Map<Long, Long> allocatedBytes() {
    try {
      ObjectName threading = new ObjectName("java.lang:type=Threading");
      long[] ids = (long[]) connection().getAttribute(threading, "AllThreadIds");
      long[] bytes =
          (long[])
              connection()
                  .invoke(
                      threading,
                      "getThreadAllocatedBytes",
                      new Object[] {ids},
                      new String[] {long[].class.getName()});
      Map<Long, Long> allocated = new HashMap<>();
      for (int i = 0; i < ids.length; i++) {
        // -1 of a thread that has just ended.
        allocated.put(ids[i], Math.max(0, bytes[i]));
      }
      return allocated;
    } catch (JMException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Returns all that it shows: every MBean with the values of its attributes.
   *
   * @return a text to search in
   */
  public synchronized String everything() {
    StringBuilder all = new StringBuilder();
    try {
      for (ObjectName name : connection().queryNames(null, null)) {
        all.append(name).append('\n').append(attributes(name));
      }
      return all.toString();
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private String attributes(ObjectName name) throws IOException {
    StringBuilder all = new StringBuilder();
    try {
      for (MBeanAttributeInfo attribute : connection().getMBeanInfo(name).getAttributes()) {
        all.append(attribute.getName()).append('=').append(shown(name, attribute)).append('\n');
      }
    } catch (InstanceNotFoundException e) {
      // Of a task that has just ended.
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
    return all.toString();
  }

  private String shown(ObjectName name, MBeanAttributeInfo attribute) throws IOException {
    try {
      return Arrays.deepToString(
          new Object[] {connection().getAttribute(name, attribute.getName())});
    } catch (JMException | RuntimeException | UnmarshalException e) {
      // Some of the JVM's own cannot be read, and an enum of Connect not by this JVM.
      return e.toString();
    }
  }

  @Override
  public synchronized void close() {
    JMXConnector open = connector;
    connector = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      // The worker is gone; so is the connection.
    }
  }

  // Our own worker, on this machine.
  @SuppressWarnings("BanJNDI")
  private MBeanServerConnection connection() throws IOException {
    if (connector == null) {
      connector =
          JMXConnectorFactory.connect(
              new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + endpoint + "/jmxrmi"));
    }
    return connector.getMBeanServerConnection();
  }

  private UncheckedIOException lost(IOException cause) {
    close();
    return new UncheckedIOException(cause);
  }
}
