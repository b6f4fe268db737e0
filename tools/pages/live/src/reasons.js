/** Why accesses are throttled, as the admin endpoint names it and as people do. */
export const REASONS = {
  provisioned: "provisioned throughput", key_range: "partition limit", max_on_demand: "maximum on demand", account: "quota"
};

/** The colour and the dashes of their lines. */
export const REASON_STYLES = {
  provisioned: ["--c6", [8, 4]], key_range: ["--c4", [2, 3]], max_on_demand: ["--c3", [12, 3, 2, 3]], account: ["--c5", [4, 4]]
};
