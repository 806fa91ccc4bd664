// Creates studies, for those who have an account; others are asked to sign in, and come back to what they had.

import { ask, go, signedIn } from "../page.js";

/** Creates a study and opens it. @param {Record<string, unknown>} content */
export async function createStudy(content) {
  if (!signedIn()) return go(`/account?next=${encodeURIComponent(location.pathname + location.search)}`);
  const { id } = await ask("/api/studies", content);
  go(`/study/${id}`);
}
