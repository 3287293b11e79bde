// The page of one game as a file: its data stands in it.

import { byId } from "./dom.js";
import { review } from "./review.js";

review(byId("page"), JSON.parse(byId("data").textContent));
