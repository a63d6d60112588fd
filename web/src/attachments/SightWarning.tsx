// Says before a question is sent that the model which would answer it does not see the image that is attached.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id } from "../api/client";
import type { ModelSight } from "../api/types";
import { t } from "../language/t";
import type { Attached } from "./attached";

interface Props {
  readonly attached: readonly Attached[];
  readonly assistant: string;
  // As it was chosen; empty for the assistant's own.
  readonly model: string;
}

export function SightWarning({ attached, assistant, model }: Props): ReactNode {
  const image = attached.some((one) => one.image);
  const { data } = useQuery({
    queryKey: ["models", "sight", assistant, model],
    queryFn: () => call<ModelSight>(`api/models/sight?assistant=${id(assistant)}&model=${id(model)}`),
    enabled: image && assistant !== "",
    staleTime: 60_000,
    retry: false,
  });
  if (!image || !data || data.images) return null;
  return (
    <p className="sight-warning" role="status">
      {t("{0} does not see images. Choose another model, or remove the image.", data.model)}
    </p>
  );
}
