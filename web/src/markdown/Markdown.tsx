// An answer's Markdown as elements: sanitised, links only outwards and marked so, images only from this server.

import { createContext, memo, useContext, useMemo, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { ROOT } from "../api/client";
import { Code } from "./Code";
import { rehypeFigures, rehypeNumberColumns, rehypeTextOfHtml, textOf, type Mark } from "./figures";
import { FileLink } from "./fileLinks";
import { Maths } from "./Maths";

const SCHEMA = {
  ...defaultSchema,
  clobberPrefix: "",
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-[\w+#.-]{1,30}$/, "math-inline", "math-display"]],
  },
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
} as typeof defaultSchema;
const REL = "noopener noreferrer nofollow";
// Dollars are money far more often than they are maths.
const REMARK: Options["remarkPlugins"] = [remarkGfm, [remarkMath, { singleDollarTextMath: false }]];

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
}

const NONE: readonly Mark[] = [];

export const Markdown = memo(function Markdown({ source, marks = NONE }: Props): ReactNode {
  const rehype: Options["rehypePlugins"] = useMemo(
    () => [rehypeTextOfHtml, [rehypeSanitize, SCHEMA], rehypeNumberColumns, [rehypeFigures, { source, marks }]],
    [source, marks],
  );
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={rehype} components={PARTS} urlTransform={(url) => url}>
        {source}
      </ReactMarkdown>
    </div>
  );
});

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
      <div className="scroll" tabIndex={0} role="region" aria-label="Table">
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
    if (kinds.includes("math-display")) return <Maths source={text} display />;
    const language = kinds.find((one) => one.startsWith("language-"))?.slice("language-".length) ?? "";
    return <Code text={text} language={language} />;
  },
  code: ({ className, children, node }) =>
    className?.includes("math-inline") && node ? (
      <Maths source={textOf(node)} display={false} />
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

interface LinkProps {
  readonly href: string | undefined;
  readonly text: string;
  readonly children: ReactNode;
}

function Link({ href, text, children }: LinkProps): ReactNode {
  if (!href || !/^(?:https?|mailto):/i.test(href))
    return (
      <FileLink text={href ?? ""} label={text}>
        <span>{children}</span>
      </FileLink>
    );
  return (
    <a href={href} rel={REL} target="_blank">
      {children}
    </a>
  );
}

// A path on this server, and nothing that a browser would take for another one.
const isOwn = (src: string): boolean => /^\/(?![/\\])/.test(src);

// Tools name paths as the server knows them, wherever that is mounted.
const placed = (src: string): string => (src.startsWith(ROOT) ? src : `${ROOT}${src.slice(1)}`);

function Picture({ src, alt }: { src: string; alt: string }): ReactNode {
  if (isOwn(src)) return <img src={placed(src)} alt={alt} loading="lazy" />;
  return (
    <Link href={src} text={alt || src}>
      {alt || src}
    </Link>
  );
}
