/** What colours need to know of a language. */
export interface Language {
  /** Signs that begin a comment to the end of the line. */
  readonly comments: readonly string[]
  /** A comment over several lines: its first and its last sign. */
  readonly block?: readonly [string, string]
  /** Signs around strings of one line. */
  readonly strings: readonly string[]
  /** Signs around strings that may have several lines. */
  readonly longStrings: readonly string[]
  readonly words: string
  /** Words count in capitals, too. */
  readonly anyCase?: true
  /** More that is coloured, as patterns without groups. */
  readonly names?: string
}

const c = { comments: ['//'], block: ['/*', '*/'], strings: ['"', "'"], longStrings: [] } as const
const hash = { comments: ['#'], strings: ['"', "'"], longStrings: [] } as const

const script =
  'abstract any as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of private protected public readonly return satisfies set static super switch this throw try type typeof undefined unique unknown var void while with yield boolean number string object never'
const cWords =
  'alignas alignof auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern final float for friend goto if inline int long mutable namespace new noexcept operator override private protected public register return short signed sizeof static struct switch template this throw try typedef typename union unsigned using virtual void volatile while'
const jvm =
  'abstract as assert boolean break by byte case catch char class companion const continue data def default do double else enum extends final finally float for fun given goto if implements import in init inner instanceof int interface internal is lazy let long match native new null object open operator out override package permits private protected public record reified return sealed short static super suspend switch synchronized this throw throws trait transient try typealias val var void volatile when where while with yield'
const shellWords =
  'alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local read readonly return select set shift source sudo test then trap unset until while'

/** By the name that stands in most fences; aliases point to it. */
const languages: Readonly<Record<string, Language>> = {
  typescript: { ...c, longStrings: ['`'], words: script },
  python: {
    ...hash,
    longStrings: ['"""', "'''"],
    words:
      'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
    names: '@[\\w.]+',
  },
  shell: { ...hash, words: shellWords, names: '\\$(?:\\w+|\\{[^}]*\\}?|[?#@*!$-])|(?<=^|\\s)--?[A-Za-z][\\w-]*' },
  c: { ...c, words: cWords, names: '^\\s*#\\s*\\w+' },
  java: { ...c, longStrings: ['"""'], words: jvm, names: '@\\w+' },
  csharp: {
    ...c,
    words: `${jvm} ${cWords} async await base checked decimal delegate event foreach get init nameof namespace params partial readonly ref required set string struct using var`,
  },
  go: {
    ...c,
    longStrings: ['`'],
    words:
      'any append bool break byte case chan const continue default defer else error fallthrough float64 for func go goto if import int int64 interface len make map nil package range return rune select string struct switch type uint8 var',
  },
  rust: {
    ...c,
    strings: ['"'],
    words:
      'as async await bool break char const continue crate dyn else enum extern f64 fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait type u8 u32 u64 union unsafe use usize where while',
    names: '#!?\\[[^\\]]*\\]?|\\b\\w+!',
  },
  swift: {
    ...c,
    longStrings: ['"""'],
    words: `${script} deinit fileprivate func guard init inout internal lazy mutating nil open protocol repeat self some struct subscript throws weak where`,
    names: '@\\w+',
  },
  php: {
    ...c,
    comments: ['//', '#'],
    words: `${script} array echo elseif fn foreach include isset list match namespace parent print require self string trait use`,
    names: '\\$\\w+',
  },
  ruby: {
    ...hash,
    words:
      'alias and begin break case class def defined? do else elsif end ensure extend for if in include module next nil not or private protected public raise redo require rescue retry return self super then unless until when while yield',
    names: '@{1,2}\\w+|(?<![:\\w]):\\w+',
  },
  lua: {
    ...c,
    comments: ['--'],
    block: ['--[[', ']]'],
    words: 'and break do else elseif end for function goto if in local nil not or repeat return then until while',
  },
  sql: {
    comments: ['--'],
    block: ['/*', '*/'],
    strings: ["'", '"'],
    longStrings: [],
    anyCase: true,
    words:
      'add all alter and as asc begin between bigint boolean by case check column commit constraint create cross database date default delete desc distinct drop else end exists foreign from full group having if in index inner insert int integer into is join key left like limit not null offset on or order outer primary references returning right rollback select set table text then timestamp to trigger union unique update using values varchar view when where with',
  },
  json: { ...c, strings: ['"'], words: '', names: '"(?:\\\\.|[^"\\\\])*"(?=\\s*:)' },
  yaml: { ...hash, words: '', names: '(?:^|(?<=^[\\s-]*))[\\w.\\/-]+(?=:(?:\\s|$))' },
  toml: { ...hash, comments: ['#', ';'], longStrings: ['"""', "'''"], words: '', names: '^\\s*\\[[^\\]]*\\]+|^\\s*[\\w.-]+(?=\\s*=)' },
  css: {
    comments: [],
    block: ['/*', '*/'],
    strings: ['"', "'"],
    longStrings: [],
    words: 'important',
    names: '@[\\w-]+|[\\w-]+(?=\\s*:\\s)|#[0-9a-fA-F]{3,8}\\b|\\$[\\w-]+',
  },
  html: {
    comments: [],
    block: ['<!--', '-->'],
    strings: ['"'],
    longStrings: [],
    words: '',
    names: '<\\/?[A-Za-z][\\w:.-]*|\\/?>|[\\w:@.-]+(?==)',
  },
  docker: {
    ...hash,
    words: 'add arg as cmd copy entrypoint env expose from healthcheck label onbuild run shell stopsignal user volume workdir',
    anyCase: true,
    names: '\\$\\{?\\w+\\}?',
  },
  make: {
    ...hash,
    words: 'define else endef endif export ifdef ifeq ifndef ifneq include override',
    names: '^[\\w.%\\/ -]+(?=:)|\\$[({][^)}]*[)}]|\\$[@<^*]',
  },
  diff: { comments: [], strings: [], longStrings: [], words: '' },
}

const aliases: Readonly<Record<string, string>> = {
  js: 'typescript',
  jsx: 'typescript',
  mjs: 'typescript',
  cjs: 'typescript',
  ts: 'typescript',
  tsx: 'typescript',
  javascript: 'typescript',
  vue: 'html',
  svelte: 'html',
  xml: 'html',
  svg: 'html',
  py: 'python',
  python3: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  fish: 'shell',
  console: 'shell',
  terminal: 'shell',
  powershell: 'shell',
  h: 'c',
  cpp: 'c',
  'c++': 'c',
  hpp: 'c',
  cc: 'c',
  objc: 'c',
  kotlin: 'java',
  kt: 'java',
  scala: 'java',
  groovy: 'java',
  dart: 'java',
  cs: 'csharp',
  'c#': 'csharp',
  golang: 'go',
  rs: 'rust',
  rb: 'ruby',
  sqlite: 'sql',
  postgresql: 'sql',
  mysql: 'sql',
  jsonc: 'json',
  json5: 'json',
  yml: 'yaml',
  ini: 'toml',
  env: 'toml',
  conf: 'toml',
  properties: 'toml',
  scss: 'css',
  less: 'css',
  dockerfile: 'docker',
  makefile: 'make',
  patch: 'diff',
}

/** The language that a fence or the end of a file name says. */
export function findLanguage(name: string): Language | undefined {
  const known = Object.hasOwn(aliases, name) ? aliases[name] : name
  return known !== undefined && Object.hasOwn(languages, known) ? languages[known] : undefined
}

export function isDiff(name: string): boolean {
  return name === 'diff' || name === 'patch'
}
