// Makes a player of a fight a character of one's own, with the class and spec seen there.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { FightPlayer } from "../../api/types";
import { Failure } from "./parts";
import { addCharacter, charactersQuery, useChange } from "./queries";
import { t } from "../../language/t";

export function MineButton({ player }: { player: FightPlayer }): ReactNode {
  const { data } = useQuery(charactersQuery);
  const add = useChange(() =>
    addCharacter({ name: player.name, realm: player.realm, class: player.class_name, spec: player.spec }),
  );
  if (!data || !player.class_name) return null;
  const mine = data.some((one) => one.name === player.name && (!one.realm || one.realm === player.realm));
  if (mine) return <span className="pill">{t("my character")}</span>;
  return (
    <>
      <Failure error={add.error} />
      <button type="button" className="plain" disabled={add.isPending} onClick={() => add.mutate(undefined)}>
        {t("This is me")}
      </button>
    </>
  );
}
