import { isAmong, type Names } from './names.ts'

/** A command inside another: as text for a shell, or as words. */
export type Inner = ({ readonly source: string; readonly args?: readonly string[] } | { readonly words: readonly string[] }) & {
  /** It may be no more than a text. */
  readonly isGuess?: boolean
}

type Words = readonly string[]

const shells = /^(ba|z|da|k|mk|a|fi|tc|c|mrb|ya)?sh$|^(elvish|nu|xonsh|rbash)$/

export const isShell = (name: string): boolean => shells.test(name)

const sources = (texts: readonly (string | undefined)[]): readonly Inner[] =>
  texts.flatMap((source) => (source === undefined || source === '' ? [] : [{ source }]))

/** The word after an option, or what is attached to it. */
const valuesOf = (words: Words, option: Names): readonly string[] =>
  words.flatMap((word, index) => {
    const [, attached] = /^(?:--[\w-]+)=(.*)$/s.exec(word) ?? []
    if (!isAmong(option, attached === undefined ? word : word.slice(0, word.length - attached.length - 1))) return []
    const value = attached ?? words[index + 1]
    return value === undefined ? [] : [value]
  })

const operands = (words: Words, valued?: Names): Words => {
  const at = words.findIndex((word, index) => !word.startsWith('-') && !(valued !== undefined && isAmong(valued, words[index - 1] ?? '')))
  return at === -1 ? [] : words.slice(at)
}

/** Shell commands that stand behind their own sign, as `!rm` in an editor or an alias. */
const banged = (words: Words): readonly Inner[] =>
  sources(
    words.flatMap((word) =>
      [.../(?:^|[=\s'"|:])\+?(?:\\!|!|\.shell |\.system )\s*(.+)$/gms[Symbol.matchAll](word)].map((found) => found[1]),
    ),
  )

const guesses = (inner: readonly Inner[]): readonly Inner[] => inner.map((each) => ({ ...each, isGuess: true }))

const texts = (words: Words): readonly Inner[] => guesses(sources(words.filter((word) => /\s/.test(word))))

const sshValued = /^-[BbcDEeFIiJLlmOopQRSWw]$/
const dockerValued =
  /^(-[acehlmptuvw]|--(name|volume|env|env-file|publish|user|workdir|network|entrypoint|mount|memory|cpus|label|hostname|platform|restart|add-host|pid|ipc|userns|device|cap-add|security-opt|tmpfs|gpus|ulimit|dns|pull|detach-keys))$/

/** Programs that take commands as an argument, and where. */
const carriers: readonly (readonly [name: Names, inner: (words: Words) => readonly Inner[]])[] = [
  [shells, (words) => shellTexts(words)],
  [
    'su runuser script flock pwsh powershell expect nix-shell nix sg newgrp npx npm pnpm',
    (words) => sources(valuesOf(words, /^(-[a-zA-Z]*c|--command|--call|-Command|--session-command)$/)),
  ],
  ['nix-shell', (words) => sources(valuesOf(words, '--run'))],
  ['nix', (words) => valuesOf(words, '-c --command').map((word) => ({ words: words.slice(words.indexOf(word)) }))],
  ['eval', (words) => sources([words.join(' ')])],
  ['trap', (words) => sources(words.filter((word) => !word.startsWith('-')).slice(0, 1))],
  ['alias', (words) => sources(words.map((each) => each.slice(each.indexOf('=') + 1)))],
  ['watch viddy', (words) => sources([operands(words, '-n --interval -q --equexit').join(' ')])],
  [
    'env',
    (words) => sources([...valuesOf(words, /^(-S|-[iv0]+S|--split-string)$/), ...words.map((word) => /^-[iv0]*S(.+)$/s.exec(word)?.[1])]),
  ],
  ['find fd fdfind bfs', (words) => executed(words)],
  ['ssh autossh mosh dbclient', (words) => [...sources([operands(words, sshValued).slice(1).join(' ')]), ...optionCommands(words)]],
  ['sshpass', (words) => [{ words: operands(words, /^-[pfdP]$/) }]],
  ['docker podman nerdctl kubectl lxc incus machinectl docker-compose', (words) => contained(words)],
  ['git', (words) => [...gitCommands(words), ...optionCommands(words)]],
  [
    'tar gtar bsdtar',
    (words) =>
      sources([
        ...words.map((word) => /--checkpoint-action=exec=(.*)/s.exec(word)?.[1] ?? /^-[a-zA-Z]*I(.+)$/s.exec(word)?.[1]),
        ...valuesOf(
          words,
          '--to-command --use-compress-program --rsh-command --info-script --new-volume-script -I -F --checkpoint-action',
        ).map((each) => each.replace(/^exec=/, '')),
      ]),
  ],
  ['rsync scp sftp', (words) => [...sources(valuesOf(words, /^(-[a-zA-Z]*e|--rsh|--rsync-path|-S|-D)$/)), ...optionCommands(words)]],
  [/^(vim?|nvim|view|ex|gvim|ed|emacs|less|more|man|gdb|lldb|psql|mysql|sqlite3?|ftp|mutt|mail|bc|dc|telnet)$/, banged],
  [
    'tmux screen xterm konsole gnome-terminal alacritty kitty concurrently hyperfine watchexec entr npm-run-all wait-on start-server-and-test at batch',
    texts,
  ],
  [
    'screen xterm konsole gnome-terminal alacritty kitty watchexec',
    (words) => [
      { words: operands(words, '-S -T -title -w -e --') },
      ...valuesOf(words, '-e -dm -dmS --').map((word) => ({ words: words.slice(words.indexOf(word)) })),
    ],
  ],
  ['complete compgen', (words) => sources(valuesOf(words, '-C'))],
  ['bind', (words) => sources(valuesOf(words, '-x').map((each) => each.slice(each.indexOf(':') + 1)))],
  ['wget', (words) => sources(valuesOf(words, '--use-askpass'))],
  ['nodemon', (words) => sources(valuesOf(words, '-x --exec'))],
  [
    'make gmake just ninja',
    (words) =>
      sources([...valuesOf(words, '--eval'), ...words.map((word) => /^SHELL=(.*)$|\$\(shell (.*)\)/s.exec(word)?.slice(1).join(''))]),
  ],
  [
    'split sort zip man 7z socat nc ncat xdg-open dpkg apt-get pg_dump openvpn systemd-run',
    (words) => [
      ...sources(valuesOf(words, '--filter --compress-program -TT -P --pager -e --exec --sh-exec -c --use-askpass')),
      ...sources(words.map((word) => /^(?:EXEC|SYSTEM|exec|system):(.*)$/s.exec(word)?.[1])),
    ],
  ],
  [
    /^[gmn]?awk$/,
    (words) =>
      guesses(
        sources(
          words.flatMap((word) =>
            [...word.matchAll(/(?:system\(\s*"|\|\s*"|")((?:[^"\\]|\\.)*)"(?:\s*\)|\s*\|\s*getline)?/g)].map((found) => found[1]),
          ),
        ),
      ),
  ],
  [/^g?sed$/, (words) => sources(words.flatMap((word) => [...word.matchAll(/(?:^|[;{}\d$/]|\n)\s*e\s+(.+)$/gm)].map((found) => found[1])))],
  ['cmd wsl wsl.exe cmd.exe', (words) => [{ words: operands(words) }]],
]

/** Commands that the arguments of a program hold: `sh -c`, `eval`, `find -exec` and their kin. */
export function innerCommands(words: Words): readonly Inner[] {
  const [name = '', ...rest] = words
  const known = carriers.filter(([names]) => isAmong(names, name)).flatMap(([, inner]) => inner(rest))
  return known.length > 0 || isData(name, rest) ? known : hinted(rest)
}

/** `sh -c text name argument`: the words after the text are its arguments. */
function shellTexts(words: Words): readonly Inner[] {
  const at = words.findIndex((word) => /^(-[a-zA-Z]*c[a-zA-Z]*|--command|--init-command)$/.test(word))
  const source = words[at + 1]
  return at === -1 || source === undefined ? [] : [{ source, args: words.slice(at + 2) }]
}

function executed(words: Words): readonly Inner[] {
  return words.flatMap((word, index) => {
    if (!/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word)) return []
    const rest = words.slice(index + 1)
    const end = rest.findIndex((each) => each === ';' || each === '+')
    return [{ words: end === -1 ? rest : rest.slice(0, end) }]
  })
}

/** `-o ProxyCommand=…`, `-c core.pager=…` and their kin. */
function optionCommands(words: Words): readonly Inner[] {
  const option =
    /^(?:-o|-c)?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|PermitLocalCommand|core\.(?:pager|editor|sshCommand|fsmonitor|hooksPath|askPass)|sequence\.editor|pager\.\w+|diff\.external|credential\.helper|gpg\.program|(?:filter|merge|diff)\.[\w-]+\.\w+|alias\.[\w-]+|uploadpack\.\w+)[= ](.*)$/is
  return sources(words.map((word) => option.exec(word)?.[1]?.replace(/^!/, '')))
}

function gitCommands(words: Words): readonly Inner[] {
  const verbs = operands(words, '-C -c --git-dir --work-tree --namespace')
  const [verb = '', ...rest] = verbs
  if (verb === 'bisect' && rest[0] === 'run') return [{ words: rest.slice(1) }]
  if (verb === 'submodule' && rest.includes('foreach'))
    return sources([
      rest
        .slice(rest.indexOf('foreach') + 1)
        .filter((word) => word !== '--recursive')
        .join(' '),
    ])
  if (verb === 'rebase') return sources(valuesOf(rest, '-x --exec'))
  if (verb === 'filter-branch') return sources(valuesOf(rest, /^--[\w-]+-filter$/))
  if (verb === 'config') return sources(rest.filter((word) => word.startsWith('!')).map((word) => word.slice(1)))
  if (verb === 'difftool' || verb === 'mergetool') return sources(valuesOf(rest, '-x --extcmd'))
  return sources(valuesOf(rest, '--upload-pack --receive-pack -u --exec --open-files-in-pager -O').filter((value) => /\s/.test(value)))
}

/** What is run inside of a container: after the image or the name of the container. */
function contained(words: Words): readonly Inner[] {
  const at = words.findIndex((word) => /^(run|exec)$/.test(word))
  if (at === -1) return []
  const inner = operands(words.slice(at + 1), dockerValued).slice(1)
  const after = inner[0] === '--' ? inner.slice(1) : inner
  const entry = valuesOf(words.slice(at + 1), '--entrypoint')
  return [{ words: after }, ...entry.map((program) => ({ words: [program, ...after] }))]
}

/** Programs whose arguments are data, whatever they look like. */
const dataPrograms =
  /^(echo|printf|[efrz]?grep|rg|ag|ack|git|gh|glab|hub|jq|yq|npm|npx|pnpm|yarn|bun|deno|cargo|go|pip3?|pipx|uv|apt|apt-get|apt-cache|brew|dnf|yum|apk|pacman|snap|flatpak|dpkg|gem|composer|mvn|gradle|man|which|type|whereis|whatis|apropos|tldr|help|info|logger|wall|notify-send|cowsay|expr|test|\[|\[\[|cat|ls|mkdir|touch|cd|read|export|declare|local|set|unset|return|for|case|select|curl|wget|http|https|xh|aws|gcloud|az|terraform|helm|vitest|jest|mocha|pytest|eslint|tsc|biome|prettier|node|python[\d.]*|ruby|perl|php|lua|sqlite3|say|ps|pgrep|history|fc|code|open|basename|dirname|sort|uniq|head|tail|wc|diff|cut|tr|tee|agent|hash|compgen|complete|bind|rm|rmdir|cp|mv|ln|chmod|chown|kill|pkill|killall|unlink|shred|find|fd|true|false|:|stat|file|du|sha\d+sum|md5sum|date|sleep|seq|sed|bat|less|tree)$/

const isData = (name: string, rest: Words): boolean =>
  dataPrograms.test(name) && !(/^(npm|pnpm|yarn|bun)$/.test(name) && /^(exec|x|dlx)$/.test(rest[0] ?? ''))

const harmful =
  /^(rm|rmdir|unlink|shred|dd|mkfs(\.\w+)?|chmod|chown|sudo|doas|su|kill|pkill|killall|shutdown|reboot|(ba|z|da|k)?sh|tee|mv|find|cat)$/
const harmfulText =
  /(^|[\s;&|(!`'"/])(rm|rmdir|unlink|shred|dd|mkfs|chmod|chown|sudo|kill|pkill|killall|shutdown|reboot|tee|find|(ba|z|da)?sh -c|git (push|clean|reset))\s/

/** A program that is not known here may run what stands in its arguments. */
function hinted(words: Words): readonly Inner[] {
  const at = words.findIndex((word) => harmful.test(word.slice(word.lastIndexOf('/') + 1)))
  const run = at === -1 ? [] : [{ words: words.slice(at) }]
  return guesses([...run, ...sources(words.filter((word) => /\s/.test(word) && harmfulText.test(word)))])
}
