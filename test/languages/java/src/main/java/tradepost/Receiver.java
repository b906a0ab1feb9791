package tradepost;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A receiver of deliveries on loopback. It queues each one and acknowledges it. */
final class Receiver implements AutoCloseable {
  /** A delivery as it arrived. */
  record Delivery(Headers headers, byte[] body) {}

  private final BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
  private final HttpServer server;

  Receiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/deliveries", exchange -> {
      received.add(new Delivery(exchange.getRequestHeaders(), exchange.getRequestBody().readAllBytes()));
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/deliveries";
  }

  Delivery next() throws InterruptedException {
    var delivery = received.poll(20, TimeUnit.SECONDS);
    if (delivery == null) {
      throw new IllegalStateException("No delivery arrived within 20 seconds.");
    }
    return delivery;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
