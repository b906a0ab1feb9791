package tradepost;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.Callable;
import java.util.Map;

/** Reports each check as a line of JSON, which the tests read. */
final class Report {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Report() {}

  static void report(String check, boolean ok, String detail) {
    try {
      var line = Map.of("check", check, "ok", ok, "detail", detail);
      System.out.println(MAPPER.writeValueAsString(line));
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Runs a check. It fails if it throws; otherwise its result is the detail. */
  static void run(String check, Callable<Object> steps) {
    try {
      report(check, true, String.valueOf(steps.call()));
    } catch (Exception error) {
      report(check, false, error + " at " + error.getStackTrace()[0]);
    }
  }

  static void expect(boolean condition, Object seen) {
    if (!condition) {
      throw new IllegalStateException("not as expected: " + seen);
    }
  }
}
