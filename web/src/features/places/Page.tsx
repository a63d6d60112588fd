// Data of places: what questions are answered from, and files of one's own. A file dropped anywhere on it is imported.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { messageOf } from "../../api/client";
import type { Me, PlacesDataSet } from "../../api/types";
import { Nowhere } from "../../chat/Gate";
import { ImportButton, ImportList } from "../../imports/ImportList";
import { useFileDrop } from "../../imports/useFileDrop";
import { count, exact } from "../../turn/words";
import { Dialog } from "../../ui/Dialog";
import { Brand } from "../../ui/icons";
import { dataSetQuery, deleteData, files, placesLink } from "./imports";
import "./places.css";
import { Report } from "./Report";
import { t } from "../../language/t";

interface Props {
  readonly me: Me;
  readonly path: readonly string[];
}

export default function Page({ me, path }: Props): ReactNode {
  const over = useFileDrop("places", files.begin);
  useEffect(() => {
    document.title = t("Places · Glassloop");
  }, []);
  if (path.length) return <Nowhere />;
  return (
    <div className="settings" id="places">
      <header className="admin-bar">
        <Brand>
          <a className="where quiet" href={placesLink}>
            {t("Places")}
          </a>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          {t("Back to chat")}
        </a>
      </header>
      <main className="settings-main places-main">
        <ImportList user={me.user} files={files} queryKey="places">
          {(report) => <Report report={report} />}
        </ImportList>
        <DataSet />
      </main>
      {over && (
        <div className="file-drop" aria-hidden="true">
          <p>{t("Drop files to import them")}</p>
        </div>
      )}
    </div>
  );
}

function DataSet(): ReactNode {
  const { data, error } = useQuery(dataSetQuery);
  return (
    <section aria-labelledby="places-data">
      <div className="card-head">
        <h1 id="places-data">{t("Places data")}</h1>
        <span className="grow" />
        <ImportButton
          id="places-files"
          label={t("Import files")}
          files="Files of places, visits or areas"
          accept=".csv,.tsv,.txt,.json,.geojson,.geojsonl,.parquet"
          begin={files.begin}
        />
      </div>
      {error && <p className="problem">{messageOf(error)}</p>}
      {data && <About data={data} />}
      {data === null && <p className="hint">{t("No data yet: import places first, then visits.")}</p>}
      <p className="hint">
        {t(
          "CSV, GeoJSON or Parquet: places in our own columns or from Overture, Foursquare or SafeGraph; visits by day; SafeGraph or Advan patterns; areas with centroids. Unpack archives first. Each file adds to what you imported before.",
        )}
      </p>
    </section>
  );
}

function About({ data }: { data: PlacesDataSet }): ReactNode {
  const whose = data.sample ? t("the sample, available to everyone") : data.own ? t("your own") : t("shared");
  return (
    <>
      <p>
        <b>{exact(data.name)}</b>
        {t(" · {0} · {1} to {2}", whose, data.first_day, data.last_day)}
      </p>
      {data.own && data.missing.length > 0 && (
        <p className="hint">
          {t("Nothing in {0} yet.", data.missing.map((view) => view.replace("poi_", "").replace("_", " ")).join(", "))}
        </p>
      )}
      {data.imports.length > 0 && (
        <ul className="places-files" aria-label={t("Imported files")}>
          {data.imports.map((file) => (
            <li key={`${file.digest} ${file.at}`}>
              {exact(file.file)}
              <span className="hint">{` · ${count(file.rows, "row")} · ${file.at.slice(0, 10)}`}</span>
            </li>
          ))}
        </ul>
      )}
      {data.own && <DeleteButton />}
    </>
  );
}

function DeleteButton(): ReactNode {
  const [asked, setAsked] = useState(false);
  return (
    <p>
      <button type="button" className="plain small" onClick={() => setAsked(true)}>
        {t("Delete my data")}
      </button>
      {asked && <Deleting onDone={() => setAsked(false)} />}
    </p>
  );
}

function Deleting({ onDone }: { onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: deleteData,
    onSuccess: () => {
      onDone();
      return client.invalidateQueries({ queryKey: ["places"] });
    },
  });
  return (
    <Dialog label={t("Delete my data")} onClose={onDone}>
      <h2>{t("Delete everything you imported?")}</h2>
      <p>{t("This can’t be undone, but you can import the files again.")}</p>
      {remove.error && <p className="problem">{messageOf(remove.error)}</p>}
      <div className="choices">
        <button type="button" className="primary danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {t("Delete my data")}
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          {t("Keep it")}
        </button>
      </div>
    </Dialog>
  );
}
