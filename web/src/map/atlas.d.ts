// The outlines of us-atlas as what they are: without this every one of their figures has a type.

declare module "us-atlas/states-10m.json" {
  import type { Topology } from "topojson-specification";
  const atlas: Topology;
  export default atlas;
}

declare module "us-atlas/counties-10m.json" {
  import type { Topology } from "topojson-specification";
  const atlas: Topology;
  export default atlas;
}
