// Raids: nights, their fights and players. A log dropped anywhere on it is imported.

import { useEffect, type ReactNode } from "react";
import type { Me } from "../../api/types";
import { Nowhere } from "../../chat/Gate";
import { useFileDrop } from "../../imports/useFileDrop";
import { Brand } from "../../ui/icons";
import { Fight } from "./Fight";
import { ImportList } from "./Imports";
import { logs } from "./imports";
import { Nights } from "./Nights";
import { Players } from "./Players";
import "./raids.css";
import { Report } from "./Report";
import { TwoNights } from "./TwoNights";
import { raidsLink } from "./words";
import { t } from "../../language/t";

interface Props {
  readonly me: Me;
  readonly path: readonly string[];
}

export default function Page({ me, path }: Props): ReactNode {
  const over = useFileDrop("raids", logs.begin);
  const place = placeOf(path, me);
  const where = path.join("/");
  useEffect(() => {
    document.title = t("Raids · Glassloop");
    document.getElementById("raids")?.scrollTo(0, 0);
  }, [where]);
  if (!place) return <Nowhere />;
  return (
    <div className="settings" id="raids">
      <header className="admin-bar">
        <Brand>
          <a className="where quiet" href={raidsLink}>
            {t("Raids")}
          </a>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          {t("Back to chat")}
        </a>
      </header>
      <main className="settings-main raids-main">
        <ImportList user={me.user} />
        {place}
      </main>
      {over && (
        <div className="file-drop" aria-hidden="true">
          <p>{t("Drop the log to import it")}</p>
        </div>
      )}
    </div>
  );
}

// `nights` is no code of a report: these have ten characters.
function placeOf(path: readonly string[], me: Me): ReactNode {
  const [code, second, ...names] = path;
  if (code === undefined) return <Nights />;
  if (code === "nights") {
    const [other] = names;
    return second && other && names.length === 1 ? (
      <TwoNights key={`${second} ${other}`} codes={[second, other]} />
    ) : null;
  }
  if (second === undefined) return <Report key={code} code={code} me={me} />;
  const number = /^\d{1,9}$/.test(second) ? Number(second) : null;
  if (number === null || names.length > 2) return null;
  if (!names.length) return <Fight key={`${code} ${number}`} code={code} number={number} />;
  return <Players key={path.join(" ")} code={code} number={number} names={names} />;
}
