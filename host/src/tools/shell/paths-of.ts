import type { Redirect } from './parse-commands.ts'

export interface PathUse {
  readonly path: string
  readonly use: 'read' | 'write' | 'remove'
  /** With all that lies below. */
  readonly tree: boolean
}

/** Programs that change every path they name. */
const writers =
  /^(tee|touch|truncate|sponge|chmod|chown|chgrp|chattr|setfacl|setfattr|mkdir|mkfifo|mknod|link|install|nano|pico|micro|vim?|nvim|emacs|ed|ex|patch|mogrify|mount|umount|ssh-keygen|ssh-copy-id|split|csplit)$/
const removers = /^(rm|unlink|rmdir|shred|srm|trash|trash-put|rimraf|del-cli|trash-cli|del)$/
/** Programs that change the last path they name. */
const copiers = /^(cp|mv|ln|rsync|scp|ditto|gcp|gmv|sftp)$/
/** Programs that make the last path they name of the others. */
const makers =
  /^(ffmpeg|convert|magick|montage|composite|gm|sox|lame|pdfunite|qpdf|ps2pdf|pdftotext|pdftocairo|pdftoppm|ebook-convert|xlsx2csv|ssconvert|gdal_translate|gdalwarp|ogr2ogr|cjxl|djxl|heif-convert|ocrmypdf|pdfcrop|djvutxt|pdf2svg|zopflipng|guetzli|opusenc|avifenc|uglifyjs|objcopy|mkisofs|pngcrush|pdftk|jar)$/
const fetchers = /^(curl|wget)$/
const editors = /^(sed|perl|ruby|gsed|[gmn]?awk)$/
const programOptions = /^(-[a-zA-Z]*[eEf]|--(expression|file)\S*)$/
/** Options whose value is a file that is written. */
const outputOptions =
  /^(-o|-O|--output|--output-document|--out|-out|--output-file|-t|--target-directory|-P|--directory-prefix|--output-dir|-of|--log-file|--trace|-fprint0?|-fprintf|-fls)$/
/** Programs that write into the folder of an option. */
const intoFolder = /^(tar|bsdtar|unzip|7z|cpio|git|pip3?|npm|make)$/
const folderOptions = /^(-C|-d|-D|--directory|--target|--prefix|--extract-dir)$/
const treeReaders = /^(tar|bsdtar|zip|7z|rsync|scp|rg|ag|ack|cpio|pax|ditto|mksquashfs|restic|borg|duplicity|rclone|git)$/
/** Words in a longer text that name a file. */
const embedded =
  /(?:^|[\s'"`=:(,;|<>@{])((?:~[\w.-]*|\/(?=[\w.~*?[{])|\.{1,2}(?=\/)|\.(?=ssh|env|aws|kube|netrc|gnupg|agent))[^\s'"`;|<>(),}]*)/g

type Place = (path: string) => string

/** The paths that a command reads, writes or removes, as far as its words tell. */
export function pathsOf(words: readonly string[], redirects: readonly Redirect[], place: Place): readonly PathUse[] {
  const [name = '', ...rest] = words
  const position = {
    inPlace: rest.some((each) => /^-[a-zA-Z]*i|^--in-place/.test(each)),
    tree: isTree(name, rest),
    first: rest.findIndex((word) => !word.startsWith('-')),
    last: rest.findLastIndex((word) => !word.startsWith('-')),
    hasProgram: rest.some((word) => programOptions.test(word)),
    /** `cp -t folder a b`: the last path is not the target. */
    hasTarget: rest.some((word) => /^(-t|--target-directory)/.test(word)),
  }
  const uses: PathUse[] = redirects.map(({ operator, target }) => ({
    ...{ path: place(target), use: operator.includes('>') ? 'write' : 'read', tree: false },
  }))
  if (name === 'find' && deletesFound(rest)) uses.push(...foundBy(rest, place).map(removeTree))
  if (name === 'find' && rest.some((word) => /^-(exec|ok)/.test(word))) uses.push(...startsOf(rest, place).map(readTree))
  if (name === 'rsync' && rest.some((word) => /^--del/.test(word))) uses.push(removeTree(place(rest[position.last] ?? '.')))
  let base = ''
  rest.forEach((word, index) => {
    const before = rest[index - 1] ?? ''
    uses.push(
      ...useOf(name, word, { ...position, index, before }, (path) => place(base === '' || /^[/~]/.test(path) ? path : `${base}/${path}`)),
    )
    if (/^(-C|--directory)$/.test(before) && intoFolder.test(name)) base = word
  })
  return uses
}

export const readTree = (path: string): PathUse => ({ path, use: 'read', tree: true })
const removeTree = (path: string): PathUse => ({ path, use: 'remove', tree: true })

const deletesFound = (words: readonly string[]): boolean =>
  words.some(
    (word, index) => word === '-delete' || (/^-(exec|ok)/.test(word) && removers.test(words[index + 1]?.replace(/^.*\//, '') ?? '')),
  )

/** What a `find` finds: the folders in which it looks, or what fits a name in them. */
export function foundBy(words: readonly string[], place: Place): readonly string[] {
  const wanted = words.filter((_word, index) => /^-i?(name|path|wholename|regex)$/.test(words[index - 1] ?? '') && words[index - 2] !== '!')
  const [name] = wanted.filter((word) => /[^*.?/]/.test(word))
  const isKeptOut = words.some((word) => /^(-o|-or|!|-not)$/.test(word))
  return startsOf(words, place).map((start) => (name === undefined || isKeptOut ? start : `${start}/${name}`))
}

/** The folders in which a `find` looks. */
export function startsOf(words: readonly string[], place: Place): readonly string[] {
  const end = words.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLPO]/.test(word))
  const starts = words.slice(0, end === -1 ? undefined : end).filter((word) => !word.startsWith('-'))
  return (starts.length === 0 ? ['.'] : starts).map(place)
}

function isTree(name: string, words: readonly string[]): boolean {
  if (/^(rm|cp|grep|egrep|fgrep|gcp|scp|chmod|chown|chgrp|setfacl|mount)$/.test(name))
    return words.some((word) => /^-[a-zA-Z]*[rRa]|^--(r|archive)/.test(word))
  // They show a folder to everybody who asks.
  if (/^(python[\d.]*|php|ruby|http-server|serve)$/.test(name) && words.some((word) => /^(http\.server|-S|httpd)$|^-run$/.test(word)))
    return true
  if (/^(http-server|serve|live-server)$/.test(name)) return true
  if (name === 'mv' || name === 'rimraf' || name === 'trash' || name === 'srm') return true
  return treeReaders.test(name)
}

interface Position {
  readonly index: number
  readonly before: string
  readonly first: number
  readonly last: number
  readonly inPlace: boolean
  /** A program for an editor of streams stands behind an option; else it is the first word. */
  readonly hasProgram: boolean
  readonly tree: boolean
  readonly hasTarget: boolean
}

function useOf(name: string, word: string, position: Position, place: Place): readonly PathUse[] {
  const { tree } = position
  const [, key = '', value = ''] = /^(-{0,2}[\w-]+)=(.+)$/s.exec(word) ?? []
  if (value !== '') {
    const writes = key === 'of' || outputOptions.test(key)
    return [{ path: place(value.replace(/^@/, '')), use: writes ? 'write' : 'read', tree }, ...embeddedIn(value, name, place)]
  }
  if (word.startsWith('-')) {
    const attached = /^-[a-zA-Z]@?([/~].*)$/s.exec(word)?.[1]
    return attached === undefined ? [] : [{ path: place(attached), use: /^-[oOtCP]/.test(word) ? 'write' : 'read', tree }]
  }
  const path = place(word.replace(/^@/, '').replace(/^file:\/\/(localhost)?/, ''))
  const isFolder = intoFolder.test(name) && folderOptions.test(position.before)
  return [{ path, use: accessOf(name, position), tree: tree || isFolder }, ...embeddedIn(word, name, place)]
}

/** The program of an editor of streams, which is no file, and what alone is linked to: the link is made here. */
function isSource(name: string, { index, first, last, hasProgram, before }: Position): boolean {
  if (name === 'ln') return first === last
  return editors.test(name) && (hasProgram ? programOptions.test(before) : index === first)
}

function accessOf(name: string, position: Position): PathUse['use'] {
  if (isSource(name, position)) return 'read'
  const { index, last, hasTarget, before, inPlace } = position
  const isLast = index === last && !hasTarget
  if (removers.test(name) || (name === 'mv' && !isLast)) return 'remove'
  const isOutput =
    (fetchers.test(name) ? /^(-[a-zA-Z]*[oOP]|--(out|directory-prefix)\S*)$/ : outputOptions).test(before) &&
    !/^(ls|grep|cut|join)$/.test(name)
  const isFolder = intoFolder.test(name) && folderOptions.test(before)
  const isMade = makers.test(name) && isLast && index > 0
  const changes = writers.test(name) || (copiers.test(name) && isLast) || isMade || (editors.test(name) && inPlace)
  return isOutput || isFolder || changes ? 'write' : 'read'
}

/** Programs whose longer words are what people write. */
const prose = /^(git|gh|glab|echo|printf|npm|npx|pnpm|yarn|cargo|logger|notify-send|grep|egrep|fgrep|rg|ag|jq|test|expr|mail|say|wall)$/

/** Paths within a longer word: a volume, an address, a program of sed. */
function embeddedIn(word: string, name: string, place: Place): readonly PathUse[] {
  if (prose.test(name) || word.length > 20_000) return []
  const writes = editors.test(name) && /(^|[;{}\s\d$/])[wW]\s*[~/.]|>\s*"/.test(word)
  return [...word.matchAll(embedded)].flatMap(([, path = '']) =>
    path === '' || path === word
      ? []
      : [{ path: place(path.replace(/:.*$/s, '')), use: writes ? ('write' as const) : ('read' as const), tree: false }],
  )
}
