// How players died: each death as its last ten seconds, hit by hit and heal by heal, with the health after each.

import type { ReactNode } from "react";
import type { DeathBlow, FightDeath, FightPlayer } from "../../api/types";
import { clock } from "../../trace/timeline";
import { exact } from "../../turn/words";
import { Bar, ClassMark, Wide } from "./parts";
import { figure } from "./words";
import { t } from "../../language/t";

interface Props {
  readonly deaths: readonly FightDeath[];
  readonly players: readonly FightPlayer[];
}

export function Deaths({ deaths, players }: Props): ReactNode {
  const classOf = (name: string): string => players.find((one) => one.name === name)?.class_name ?? "";
  return (
    <ul className="raid-deaths">
      {deaths.map((death, place) => (
        <li key={`${place} ${death.player}`}>
          <Death death={death} className={classOf(death.player)} />
        </li>
      ))}
    </ul>
  );
}

function Death({ death, className }: { death: FightDeath; className: string }): ReactNode {
  return (
    <details>
      <summary>
        <span className="figure-cell">{clock(death.at_s)}</span>
        <span className="player-name">
          <ClassMark name={className} />
          {exact(death.player)}
        </span>
        <span className="hint">{exact(causeOf(death))}</span>
      </summary>
      {death.blows.length ? (
        <Recap death={death} />
      ) : (
        <p className="hint">{t("The log has no hits or heals from the ten seconds before.")}</p>
      )}
    </details>
  );
}

export function causeOf({ spell, source, amount, overkill }: FightDeath): string {
  if (!spell && !source) return t("cause not in the log");
  const much = amount || overkill ? t(" for {0}", figure(amount + overkill)) : "";
  const by = source ? t("{0} by {1}", spell, source) : spell;
  return `${by}${much}${overkill ? t(", {0} overkill", figure(overkill)) : ""}`;
}

function Recap({ death }: { death: FightDeath }): ReactNode {
  return (
    <Wide label={t("The last ten seconds of {0}", death.player)}>
      <table className="raid-table recap">
        <thead>
          <tr>
            <th scope="col">{t("Before")}</th>
            <th scope="col">{t("What")}</th>
            <th scope="col">{t("Amount")}</th>
            <th scope="col">{t("Health after")}</th>
          </tr>
        </thead>
        <tbody>
          {death.blows.map((blow, place) => (
            <tr key={place}>
              <td className="figure-cell">{`${Math.max(0, death.at_s - blow.at_s).toFixed(1)} s`}</td>
              <td>
                {exact(blow.spell)} <span className="hint">{exact(blow.source)}</span>
              </td>
              <td className={`figure-cell ${blow.kind}`}>{amountOf(blow)}</td>
              <td className="recap-health">
                {blow.health !== null && blow.max_health ? (
                  <>
                    <Bar part={blow.health / blow.max_health} kind="observe" />
                    <span className="figure-cell">{`${Math.round((100 * blow.health) / blow.max_health)} %`}</span>
                  </>
                ) : (
                  <span className="hint">{t("not in the log")}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function amountOf(blow: DeathBlow): string {
  const sign = blow.kind === "heal" ? "+" : "−";
  const more = [blow.critical && t("crit"), blow.absorbed && t("{0} absorbed", figure(blow.absorbed))].filter(Boolean);
  return `${sign}${figure(blow.amount + blow.overkill)}${more.length ? ` (${more.join(", ")})` : ""}`;
}
