// What the page asks the server about collections.

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, id } from "../api/client";
import type { CollectionFiles, CollectionList } from "../api/types";

export const COLLECTIONS = "collections";

export const collectionsQuery = queryOptions({
  queryKey: [COLLECTIONS],
  queryFn: () => call<CollectionList>("api/collections"),
  staleTime: 10_000,
});

export const filesQuery = (collection: string) =>
  queryOptions({
    queryKey: [COLLECTIONS, collection],
    queryFn: () => call<CollectionFiles>(`api/collections/${id(collection)}/files?limit=1000`),
  });

// Does something, then asks for all of it again.
export function useChange<T>(change: (given: T) => Promise<unknown>, done?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [COLLECTIONS] });
      done?.();
    },
  });
}
