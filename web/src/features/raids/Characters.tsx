// The characters that one plays: what "my" means in a question.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id } from "../../api/client";
import type { CharacterRow } from "../../api/types";
import { exact } from "../../turn/words";
import { CLASSES } from "./classes";
import { Failure, PlayerName } from "./parts";
import { addCharacter, charactersQuery, useChange } from "./queries";
import { fullName } from "./words";
import { t } from "../../language/t";

export function Characters(): ReactNode {
  const { data, error } = useQuery(charactersQuery);
  const [adding, setAdding] = useState(false);
  const remove = useChange((one: CharacterRow) => call(`api/raids/characters/${id(one.id)}`, undefined, "DELETE"));
  return (
    <section aria-labelledby="characters-title">
      <h2 id="characters-title">{t("My characters")}</h2>
      <Failure error={error ?? remove.error} />
      {data && !data.length && !adding && (
        <p className="hint">{t("None. Add the characters you play, and “my last fight” refers to them.")}</p>
      )}
      <ul className="raid-characters">
        {data?.map((one) => (
          <li key={one.id}>
            <PlayerName name={fullName(one)} className={one.class_name} />
            <span className="hint">{exact(`${one.spec} ${one.class_name}`.trim())}</span>
            <span className="grow" />
            <button type="button" className="more" disabled={remove.isPending} onClick={() => remove.mutate(one)}>
              {t("Remove")}
              <span className="unseen">{` ${one.name}`}</span>
            </button>
          </li>
        ))}
      </ul>
      {adding ? (
        <NewCharacterForm onDone={() => setAdding(false)} />
      ) : (
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          {t("Add a character")}
        </button>
      )}
    </section>
  );
}

function NewCharacterForm({ onDone }: { onDone: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [realm, setRealm] = useState("");
  const [chosen, setChosen] = useState("");
  const [spec, setSpec] = useState("");
  const specs = CLASSES.find((one) => one.name === chosen)?.specs ?? [];
  const add = useChange(() => addCharacter({ name: name.trim(), realm: realm.trim(), class: chosen, spec }), onDone);
  return (
    <form className="schedule-form" action={() => add.mutate(undefined)}>
      <div className="schedule-fields">
        <label>
          {t("Name")}
          <input required autoFocus maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          {t("Realm (optional)")}
          <input maxLength={60} value={realm} onChange={(event) => setRealm(event.target.value)} />
        </label>
        <label>
          {t("Class")}
          <select
            required
            value={chosen}
            onChange={(event) => {
              setChosen(event.target.value);
              setSpec("");
            }}
          >
            <option value="">{t("Choose")}</option>
            {CLASSES.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <label>
          {t("Spec")}
          <select required value={spec} disabled={!chosen} onChange={(event) => setSpec(event.target.value)}>
            <option value="">{t("Choose")}</option>
            {specs.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <Failure error={add.error} />
      <div className="choices">
        <button type="submit" className="primary" disabled={add.isPending}>
          {t("Add")}
        </button>
        <button type="button" className="plain" onClick={onDone}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
