// Joins the page's small modules. Everything here is comfort: without scripts the page works by links and forms.
import { startFiles } from "./files.js";
import { startGraph } from "./graph.js";
import { startKeys } from "./keys.js";
import { startProgress } from "./progress.js";
import { startReading } from "./reading.js";
import { startSearch } from "./search.js";
import { startSwitches } from "./switch.js";
import { startTree } from "./tree.js";
import { startWriting } from "./writing.js";

startSwitches();
startTree();
startReading();
startGraph();
startFiles();
startSearch();
startKeys();
startProgress();
startWriting();
