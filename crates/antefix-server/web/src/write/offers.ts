// What completes a name, for the directory that is chosen.

import { api } from "../api/client.ts";
import type { Offers } from "../code/complete.ts";
import { situation } from "./situation.ts";

export const offers: Offers = {
  templates: () => api.templates(situation.value.cwd),
  files: (path) => api.files(path, situation.value.cwd),
};
