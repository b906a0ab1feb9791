package tradepost;

import static tradepost.Report.expect;
import static tradepost.Report.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import tradepost.client.ApiClient;
import tradepost.client.ApiException;
import tradepost.client.api.DeliveriesApi;
import tradepost.client.api.EventsApi;
import tradepost.client.api.NotificationsApi;
import tradepost.client.api.OrdersApi;
import tradepost.client.api.WebhooksApi;
import tradepost.client.model.AccountEvent;
import tradepost.client.model.CreateOrder;
import tradepost.client.model.CreateWebhook;
import tradepost.client.model.CreatedWebhook;
import tradepost.client.model.DeliveryState;
import tradepost.client.model.EventType;
import tradepost.client.model.Order;
import tradepost.client.model.OrderCreatedAccountEvent;
import tradepost.client.model.OrderCreatedData;
import tradepost.client.model.OrderStatus;
import tradepost.client.model.OrderStatusChangedAccountEvent;
import tradepost.client.model.OrderStatusChangedData;
import tradepost.client.model.Problem;
import tradepost.client.model.ProblemCode;
import tradepost.client.model.SendTestEvent;
import tradepost.client.model.UpdateNotification;
import tradepost.client.model.UpdateOrder;

/** The main job of an integrator, with a client by openapi-generator (java, native). */
public final class Job {
  private static final String LISTING = System.getenv("TRADEPOST_LISTING_ID");
  private static final ApiClient BUYER = connect(System.getenv("TRADEPOST_BUYER_KEY"));
  private static final ApiClient SELLER = connect(System.getenv("TRADEPOST_SELLER_KEY"));
  private static final OrdersApi BUYING = new OrdersApi(BUYER);
  private static final OrdersApi SELLING = new OrdersApi(SELLER);
  private static final WebhooksApi WEBHOOKS = new WebhooksApi(BUYER);

  private static ApiClient connect(String apiKey) {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("TRADEPOST_BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + apiKey));
    return client;
  }

  /** The problem of a request that must fail. The client throws an ApiException with the response's body. */
  private static Problem problemOf(Callable<?> request) throws Exception {
    try {
      request.call();
    } catch (ApiException error) {
      return BUYER.getObjectMapper().readValue(error.getResponseBody(), Problem.class);
    }
    throw new IllegalStateException("The request did not fail.");
  }

  private static Order placeOrder() throws ApiException {
    return BUYING.createOrder(new CreateOrder().listingId(LISTING).quantity(1), null, null).getData();
  }

  private static Order setStatus(String id, OrderStatus status, String etag) throws ApiException {
    return SELLING.updateOrder(id, new UpdateOrder().status(status), etag, null).getData();
  }

  private static String etagOf(String id) throws ApiException {
    return SELLING.getOrderWithHttpInfo(id, null, null).getHeaders().get("etag").get(0);
  }

  private static CreatedWebhook register(Receiver receiver) throws ApiException {
    var webhook = new CreateWebhook().url(receiver.url()).addEventsItem(EventType.ORDER_CREATED);
    return WEBHOOKS.createWebhook(webhook, null, null).getData();
  }

  private static boolean isService(String secret, Receiver.Delivery delivery) throws Exception {
    var header = delivery.headers().getFirst("Service-Signature");
    return Signatures.hasServiceSignature(secret, header, delivery.body());
  }

  private static boolean isStandard(String secret, Receiver.Delivery delivery) {
    return Signatures.hasWebhookSignature(secret, delivery.headers(), delivery.body());
  }

  private static Object followCursor() throws ApiException {
    List<Order> orders = new ArrayList<>();
    String cursor = null;
    do {
      var page = BUYING.listOrders("pending", null, null, null, null, null, null, null, null, null, null, null, 1, cursor, null);
      orders.addAll(page.getData());
      cursor = page.getNextCursor();
    } while (cursor != null);
    var ids = new HashSet<>(orders.stream().map(Order::getId).toList());
    expect(ids.size() == orders.size() && orders.size() > 1, ids);
    expect(orders.stream().allMatch(order -> order.getStatus() == OrderStatus.PENDING), orders);
    return orders.size() + " pending orders in as many pages";
  }

  private static Object createOnce() throws ApiException {
    var key = UUID.randomUUID().toString();
    var order = new CreateOrder().listingId(LISTING).quantity(2);
    var first = BUYING.createOrder(order, key, null).getData();
    var second = BUYING.createOrder(order, key, null).getData();
    expect(first.equals(second), second);
    return first.getId();
  }

  private static Object updateIfMatch() throws ApiException {
    var id = placeOrder().getId();
    return setStatus(id, OrderStatus.FULFILLING, etagOf(id)).getStatus();
  }

  private static Object updateIfStale() throws Exception {
    var id = placeOrder().getId();
    var etag = etagOf(id);
    setStatus(id, OrderStatus.CONFIRMED, null);
    var problem = problemOf(() -> setStatus(id, OrderStatus.FULFILLING, etag));
    expect(problem.getStatus() == 412 && problem.getCode() == ProblemCode.PRECONDITION_FAILED, problem);
    return problem.getDetail();
  }

  private static Object verifyDelivery() throws Exception {
    try (var receiver = new Receiver()) {
      var secret = register(receiver).getSecret();
      var order = placeOrder();
      var delivery = receiver.next();
      expect(isService(secret, delivery) && isStandard(secret, delivery), delivery.headers());
      expect(!isService(secret + "x", delivery), "a wrong secret");
      var event = new ObjectMapper().readTree(delivery.body());
      expect(event.at("/data/orderId").asText().equals(order.getId()), event);
      return event.get("event").asText();
    }
  }

  private static Object markRead() throws ApiException {
    placeOrder();
    var notifications = new NotificationsApi(SELLER);
    var unread = notifications.listNotifications(false, null, null, null).getData().get(0);
    var read = notifications.markNotificationRead(unread.getId(), new UpdateNotification().read(true), null);
    expect(read.getData().getRead(), read);
    return read.getData().getMessage();
  }

  private static Object readEvents() throws ApiException {
    var order = placeOrder();
    setStatus(order.getId(), OrderStatus.CONFIRMED, null);
    List<AccountEvent> events = new ArrayList<>();
    String after = null;
    while (true) {
      var page = new EventsApi(BUYER).listEvents(after, null, null, null, null, 10, null, null, null, null);
      if (page.getData().isEmpty()) {
        break;
      }
      events.addAll(page.getData());
      after = page.getNextCursor();
    }
    OrderCreatedData created = null;
    OrderStatusChangedData changed = null;
    for (var event : events) {
      // The type of the event is the class: its data is typed.
      if (event.getActualInstance() instanceof OrderCreatedAccountEvent event1) {
        expect(event1.getId().startsWith("evt_") && event1.getEvent() != null, event1);
        created = event1.getData();
      } else if (event.getActualInstance() instanceof OrderStatusChangedAccountEvent event2) {
        changed = event2.getData();
      }
    }
    expect(created != null && created.getOrderId().equals(order.getId()), created);
    expect(changed != null && changed.getStatus() == OrderStatus.CONFIRMED, changed);
    return events.size() + " events";
  }

  private static Object rotateSecret() throws Exception {
    try (var receiver = new Receiver()) {
      var webhook = register(receiver);
      var staged = WEBHOOKS.stageWebhookSecret(webhook.getId(), null, null).getData();
      placeOrder();
      // One webhook-signature with each secret. Service-Signature still has the old one.
      var between = receiver.next();
      expect(isStandard(webhook.getSecret(), between) && isStandard(staged.getSecret(), between), between);
      var promoted = WEBHOOKS.promoteWebhookSecret(webhook.getId(), null, null).getData();
      expect(promoted.getStagedSecretAt() == null, promoted);
      placeOrder();
      var after = receiver.next();
      expect(isService(staged.getSecret(), after) && !isStandard(webhook.getSecret(), after), after);
      return "";
    }
  }

  private static Object testAndReplay() throws Exception {
    try (var receiver = new Receiver()) {
      var webhook = register(receiver);
      var test = new SendTestEvent().event(EventType.TASK_COMPLETED);
      var sent = WEBHOOKS.sendTestEvent(webhook.getId(), test, null, null).getData();
      var first = receiver.next().headers();
      expect("true".equals(first.getFirst("Tradepost-Test")), first);
      var deliveries = new DeliveriesApi(BUYER);
      // The receiver has it; until the service has recorded that, the delivery is pending.
      var details = deliveries.getDelivery(sent.getId(), null).getData();
      while (details.getState() == DeliveryState.PENDING) {
        details = deliveries.getDelivery(sent.getId(), null).getData();
      }
      expect(details.getAttempts().get(0).getStatus() == 204, details);
      var listed = deliveries.listDeliveries(webhook.getId(), null, null, null, null, null, null, null, null, null, null);
      expect(listed.getData().get(0).getId().equals(sent.getId()), listed);
      deliveries.replayDelivery(sent.getId(), null, null);
      var second = receiver.next().headers();
      expect(first.getFirst("webhook-id").equals(second.getFirst("webhook-id")), second);
      return details.getState();
    }
  }

  private static Object notFound() throws Exception {
    var problem = problemOf(() -> BUYING.getOrder("ord_00000000000000000000000000", null, null));
    expect(problem.getStatus() == 404 && problem.getCode() == ProblemCode.ORDER_NOT_FOUND, problem);
    return problem.getDetail();
  }

  private static Object invalid() throws Exception {
    var order = new CreateOrder().listingId(LISTING).quantity(0);
    var problem = problemOf(() -> BUYING.createOrder(order, null, null));
    expect(problem.getStatus() == 422 && problem.getCode() == ProblemCode.VALIDATION_FAILED, problem);
    expect(problem.getErrors().get(0).getPath().equals("quantity"), problem);
    return problem.getErrors().get(0).getMessage();
  }

  public static void main(String[] arguments) {
    run("lists orders by status and follows the cursor", Job::followCursor);
    run("creates one order for two requests with one idempotency key", Job::createOnce);
    run("updates an order with If-Match", Job::updateIfMatch);
    run("gets a typed 412 for a stale ETag", Job::updateIfStale);
    run("verifies a delivery to a webhook that it registered", Job::verifyDelivery);
    run("lists notifications and marks one as read", Job::markRead);
    run("lists events with typed data", Job::readEvents);
    run("stages and promotes a secret", Job::rotateSecret);
    run("sends a test event, and lists, gets and replays its delivery", Job::testAndReplay);
    run("gets a typed 404", Job::notFound);
    run("gets a typed 422 with the invalid fields", Job::invalid);
    // The thread pool of the HTTP client would keep the process alive for a while.
    System.exit(0);
  }
}
