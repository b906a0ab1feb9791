package tradepost;

import static tradepost.Report.run;

import tradepost.plain.ApiClient;
import tradepost.plain.api.EventsApi;
import tradepost.plain.api.OrdersApi;

/** What a client without options does with values that its document does not list. */
public final class PlainNewer {
  public static void main(String[] arguments) {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("TRADEPOST_NEWER_BASE_URL"));
    var authorization = "Bearer " + System.getenv("TRADEPOST_BUYER_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));

    var orders = new OrdersApi(client);
    run("reads an order with a new field",
        () -> orders.getOrder(System.getenv("TRADEPOST_ORDER_ID"), null, null).getData().getStatus());
    run("lists orders of which one has an unknown status",
        () -> orders.listOrders(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null).getData().get(0).getStatus());
    run("lists events of which one has an unknown type", () -> {
      var event = new EventsApi(client).listEvents(null, null, null, null, null, null, null, null, null, null).getData().get(0);
      return event.getActualInstance().getClass().getSimpleName();
    });
    System.exit(0);
  }
}
