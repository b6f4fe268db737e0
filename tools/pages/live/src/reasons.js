/** Why accesses are throttled, as the admin endpoint names it and as people do. */
export const REASONS = {
  provisioned: "provisioned throughput", key_range: "partition limit", max_on_demand: "maximum on demand", account: "quota"
};

/** The colours of their areas. */
export const REASON_COLORS = { provisioned: "--c6", key_range: "--c4", max_on_demand: "--c2", account: "--c5" };
