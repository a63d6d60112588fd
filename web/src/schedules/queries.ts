// What the page asks the server about schedules and the inbox.

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, id } from "../api/client";
import { LOOK_MS } from "../api/queries";
import type { ActionResult, InboxView, ScheduleDetails, ScheduleView } from "../api/types";

export const inboxQuery = queryOptions({
  queryKey: ["inbox"],
  queryFn: () => call<InboxView>("api/inbox"),
  refetchInterval: LOOK_MS,
});

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: () => call<readonly ScheduleView[]>("api/schedules?limit=200"),
  refetchInterval: LOOK_MS,
});

export const scheduleQuery = (schedule: string) =>
  queryOptions({
    queryKey: ["schedules", schedule],
    queryFn: () => call<ScheduleDetails>(`api/schedules/${id(schedule)}`),
  });

export const markSeen = (ids: readonly string[] | null): Promise<ActionResult> =>
  call<ActionResult>("api/inbox/seen", ids ? { ids } : {});

// Does something, then asks for all of it again.
export function useDeed<T>(deed: (given: T) => Promise<unknown>, done?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: deed,
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ["schedules"] }),
        client.invalidateQueries({ queryKey: ["inbox"] }),
      ]);
      done?.();
    },
  });
}
