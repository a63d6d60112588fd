// What a result has beside its tables, as `key: value`. What is said about the result is folded.

import type { ReactNode } from "react";
import { nameOf, type Found } from "./find";
import type { Group } from "./table";

const isAbout = ({ name }: Group): boolean => name !== null && /metadata$/.test(name);

interface Props {
  readonly groups: readonly Group[];
  readonly found: Found;
  // There is a table under them.
  readonly above: boolean;
}

export function Beside({ groups, found, above }: Props): ReactNode {
  const shown = groups.filter((group) => !isAbout(group));
  if (!shown.length) return null;
  return (
    <div className={above ? "beside" : undefined}>
      {shown.map((group) => (
        <Pairs key={nameOf(group.pairs[0]?.path ?? [])} group={group} found={found} />
      ))}
    </div>
  );
}

export function About({ groups, found }: Pick<Props, "groups" | "found">): ReactNode {
  return groups.filter(isAbout).map((group) => {
    const sought = group.pairs.some((pair) => found.paths.has(nameOf(pair.path)));
    return (
      // What is sought in it is shown.
      <details key={`${group.name} ${sought}`} className="about" open={sought}>
        <summary>{group.name}</summary>
        <Pairs group={{ ...group, name: null }} found={found} />
      </details>
    );
  });
}

function Pairs({ group, found }: { group: Group; found: Found }): ReactNode {
  const pairs = group.pairs.map((pair) => (
    <span key={pair.key} className={`pair${found.paths.has(nameOf(pair.path)) ? " found" : ""}`}>
      <span className="key">{`${pair.key}: `}</span>
      {pair.text}
    </span>
  ));
  if (group.name === null) return <div className="line pairs">{pairs}</div>;
  return (
    <div className="line small-object">
      <span className="key">{group.name}</span>
      <span className="pairs">{pairs}</span>
    </div>
  );
}
