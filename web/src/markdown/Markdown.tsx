// An answer's Markdown as elements: sanitised, links only outwards and marked so, images only from this server. Block by
// block, so that of a text that is being written only the last is read again.

import { createContext, memo, useContext, useMemo, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { blocksOf, definitionsIn, type Block } from "./blocks";
import { Code } from "./Code";
import { Diagram } from "./Diagram";
import { rehypeFigures, rehypeNumberColumns, textOf, type Mark } from "./figures";
import { FileLink } from "./fileLinks";
import { rehypeFormulas } from "./formulas";
import { rehypeHtmlTags } from "./htmlTags";
import { Link, Picture } from "./links";
import { mask } from "./maths";
import { Maths } from "./Maths";
import { t } from "../language/t";

const SCHEMA = {
  ...defaultSchema,
  clobberPrefix: "",
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-[\w+#.-]{1,30}$/]],
  },
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
} as typeof defaultSchema;
const REMARK: Options["remarkPlugins"] = [remarkGfm];

// Whether the block that something stands in is still being written.
const Writing = createContext(false);

// A piece of a figure: whether it is its last, and whether it says where it is from.
export interface Piece {
  readonly text: string;
  readonly last: boolean;
  readonly tagged: boolean;
}

// How a figure is shown, by its number in `marks`, piece by piece, and what a table says whose figures have one source.
// Told by context, so that pointing at one does not make the elements of the whole answer anew.
export interface Underline {
  readonly figure: (index: number, piece: Piece) => ReactNode;
  readonly table: (index: number, all: boolean) => ReactNode;
}
export const Underlining = createContext<Underline>({ figure: (_index, { text }) => text, table: () => null });

interface Props {
  readonly source: string;
  readonly marks?: readonly Mark[];
  // It is still being written.
  readonly open?: boolean;
}

const NONE: readonly Mark[] = [];

export const Markdown = memo(function Markdown({ source, marks = NONE, open = false }: Props): ReactNode {
  const blocks = useMemo(() => blocksOf(source), [source]);
  const definitions = useMemo(() => definitionsIn(source), [source]);
  const marked = useMemo(() => blocks.map((block) => marksIn(block, marks)), [blocks, marks]);
  return (
    <div className="prose">
      {blocks.map(({ text }, place) => (
        <BlockView
          key={place}
          source={text}
          marks={marked[place] ?? NONE}
          definitions={definitions}
          open={open && place === blocks.length - 1}
        />
      ))}
    </div>
  );
});

function marksIn({ text, from }: Block, marks: readonly Mark[]): readonly Mark[] {
  const to = from + text.length;
  const found = marks.flatMap((mark, index) =>
    mark.to > from && mark.from < to ? [{ ...mark, from: mark.from - from, to: mark.to - from, index }] : [],
  );
  return found.length ? found : NONE;
}

type BlockProps = Required<Props> & { readonly definitions: string };

const BlockView = memo(function BlockView({ source, marks, definitions, open }: BlockProps): ReactNode {
  const masked = useMemo(() => mask(source, open), [source, open]);
  const rehype: Options["rehypePlugins"] = useMemo(
    () => [
      [rehypeHtmlTags, masked],
      [rehypeSanitize, SCHEMA],
      [rehypeFormulas, masked],
      rehypeNumberColumns,
      [rehypeFigures, { source: masked.source, marks }],
    ],
    [masked, marks],
  );
  const text = definitions && source.includes("[") ? `${masked.source}\n\n${definitions}` : masked.source;
  return (
    <Writing value={open}>
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={rehype} components={PARTS} urlTransform={(url) => url}>
        {text}
      </ReactMarkdown>
    </Writing>
  );
});

// Once it is whole: half a diagram is none.
function Drawn({ source }: { source: string }): ReactNode {
  return useContext(Writing) ? <Code text={source} language="mermaid" /> : <Diagram key={source} source={source} />;
}

function Marked({ index, piece }: { index: number; piece: Piece }): ReactNode {
  return useContext(Underlining).figure(index, piece);
}

function Sourced({ index, all }: { index: number; all: boolean }): ReactNode {
  return <caption>{useContext(Underlining).table(index, all)}</caption>;
}

// Headings stand below those of the page.
const PARTS: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  h6: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children, node }) => (
    <Link href={href} text={node ? textOf(node) : ""}>
      {children}
    </Link>
  ),
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  table: ({ node, children }) => {
    const index = node?.properties["dataFigure"];
    return (
      <div className="scroll" tabIndex={0} role="region" aria-label={t("Table")}>
        <table>
          {index !== undefined && <Sourced index={Number(index)} all={node?.properties["dataAll"] === "1"} />}
          {children}
        </table>
      </div>
    );
  },
  pre: ({ node, children }) => {
    const code = node?.children[0];
    if (code?.type !== "element" || code.tagName !== "code") return <pre tabIndex={0}>{children}</pre>;
    const names = code.properties["className"];
    const kinds = Array.isArray(names) ? names.map(String) : [];
    const text = textOf(code).replace(/\n$/, "");
    const language = kinds.find((one) => one.startsWith("language-"))?.slice("language-".length) ?? "";
    return language === "mermaid" ? <Drawn source={text} /> : <Code text={text} language={language} />;
  },
  code: ({ className, children, node }) =>
    className?.startsWith("math-") && node ? (
      <Maths source={textOf(node)} display={className === "math-display"} />
    ) : (
      <FileLink text={node ? textOf(node) : ""} label={<code>{node && textOf(node)}</code>}>
        <code>{children}</code>
      </FileLink>
    ),
  span: ({ node, children }) => {
    const index = node?.properties["dataFigure"];
    if (index === undefined || !node) return <span>{children}</span>;
    const { dataLast, dataPlain } = node.properties;
    return <Marked index={Number(index)} piece={{ text: textOf(node), last: dataLast === "1", tagged: !dataPlain }} />;
  },
};
