// Raids: nights, their fights and players. A log dropped anywhere on it is imported.

import { useEffect, useState, type ReactNode } from "react";
import type { Me } from "../../api/types";
import { Nowhere } from "../../chat/Gate";
import { Brand } from "../../ui/icons";
import { Fight } from "./Fight";
import { ImportList } from "./Imports";
import { importLogs } from "./imports";
import { Nights } from "./Nights";
import { Players } from "./Players";
import "./raids.css";
import { Report } from "./Report";
import { TwoNights } from "./TwoNights";
import { raidsLink } from "./words";

interface Props {
  readonly me: Me;
  readonly path: readonly string[];
}

export default function Page({ me, path }: Props): ReactNode {
  const over = useDroppedLogs();
  const place = placeOf(path, me);
  const where = path.join("/");
  useEffect(() => {
    document.title = "Raids · Glassloop";
    document.getElementById("raids")?.scrollTo(0, 0);
  }, [where]);
  if (!place) return <Nowhere />;
  return (
    <div className="settings" id="raids">
      <header className="admin-bar">
        <Brand>
          <a className="where quiet" href={raidsLink}>
            Raids
          </a>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          Back to the chat
        </a>
      </header>
      <main className="settings-main raids-main">
        <ImportList user={me.user} />
        {place}
      </main>
      {over && (
        <div className="raid-drop" aria-hidden="true">
          <p>Drop the log to import it</p>
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

// Whether files are held over the page. Else the browser would leave the page for the file.
function useDroppedLogs(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const dragged = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const dropped = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      importLogs([...(event.dataTransfer?.files ?? [])]);
      document.getElementById("raids")?.scrollTo(0, 0);
    };
    window.addEventListener("dragover", dragged);
    window.addEventListener("dragleave", left);
    window.addEventListener("drop", dropped);
    return () => {
      window.removeEventListener("dragover", dragged);
      window.removeEventListener("dragleave", left);
      window.removeEventListener("drop", dropped);
    };
  }, []);
  return over;
}
