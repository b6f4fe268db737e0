// The word of the server's --admin-token, from ?token= of the page's address or from who sits there; kept as long as the browser's tab.

/** The address behind "?". A "+" is itself: people paste words of base64 there as they are. */
export const inAddress = new URLSearchParams(location.search.replaceAll("+", "%2B"));

export const keepAdminToken = (token) => sessionStorage.setItem("adminToken", token);

if (inAddress.get("token")) {
  keepAdminToken(inAddress.get("token"));
  const rest = new URL(location.href);
  rest.searchParams.delete("token");
  history.replaceState(history.state, "", rest);
}

/** The headers that a call of the admin endpoint has because of it. */
export function adminToken() {
  const token = sessionStorage.getItem("adminToken");
  return token ? { Authorization: `Bearer ${token}` } : {};
}
