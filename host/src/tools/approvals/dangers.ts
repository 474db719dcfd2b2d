import { databases } from './databases.ts'

export interface Pattern extends Danger {
  readonly pattern: RegExp
}

/** A reason to ask. The name is what an allow-list holds, the sentence what a person reads. */
export interface Danger {
  readonly name: string
  readonly sentence: string
  /** Asked in every mode, and answered by no model. */
  readonly onlyPeople?: boolean
}

export const tooLong: Danger = { name: 'too-long', sentence: 'it is too long to be judged' }

const shell = '(ba|z|da|k|mk|a|fi)?sh'
/** Reads its program from the pipe; with a script's name or `-m` it would read data. */
const reader = `(${shell}( |$)|(python[\\d.]*|perl|ruby|node|php|lua)( -)?$)`
const interpreter = `(${shell}|python[\\d.]*|perl|ruby|node|php|lua)`
const fetcher = '(curl|wget|fetch|aria2c|http|https|xh)'
const containers = '(docker|podman|nerdctl|docker-compose|podman-compose)( -\\S+( \\S+)?)*( compose| container)?( -\\S+( \\S+)?)*'
const agent = '(agent|agent\\.mjs|\\S*\\/agent\\.mjs)'
const sql = (statement: string): RegExp =>
  new RegExp(`(^|\\| |[ =])${databases} .*${statement}|${statement}.*\\| (\\S+ )*${databases}( |$)`, 'i')

const table: readonly (readonly [name: string, sentence: string, pattern: RegExp])[] = [
  ['recursive-delete', 'it deletes folders with all that is in them', /^rm (.* )?(-[a-zA-Z]*[rR][a-zA-Z]*|--r[a-z]*)( |$)/],
  ['delete-in-root', 'it deletes right below the root of the file system', /^(rm|rmdir|unlink|shred) (.* )?\/[^/ ]+( |$)/],
  [
    'find-delete',
    'it deletes whatever a search finds',
    /^find .*-delete( |$)|^(find|fd|fdfind) .*(-exec(dir)?|-ok(dir)?|-x|-X) (\S*\/)?(rm|shred|unlink)( |$)/,
  ],
  ['xargs-delete', 'it deletes whatever it is handed', /^(xargs|parallel) (.* )?(\S*\/)?(rm|shred|unlink)( |$)/],
  [
    'world-writable',
    'it lets everybody on the machine change files',
    /^chmod (.* )?([0-7]?[0-7]{2}[2367]|([ugo]*[oa][ugoa]*)[+=][rstxX]*w\S*|\S*,([ugo]*[oa][ugoa]*)[+=][rstxX]*w\S*)( |$)/,
  ],
  [
    'root-owner',
    'it gives whole folders to root',
    /^chown (.* )?(-[a-zA-Z]*R[a-zA-Z]*|--recursive)( .*)? (root|0)?(:|\.)?(root|0)( |$)|^chown (root|0)\S* .*(-R|--recursive)/,
  ],
  ['format', 'it makes a new file system', /^(mkfs(\.\w+)?|mke2fs|mkswap|wipefs|newfs\w*|fdisk|parted|sgdisk|diskutil erase\w*)( |$)/],
  ['disk-copy', 'it copies raw data', /^dd (.* )?(if|of)=/],
  [
    'block-device',
    'it writes to a device',
    /(>+\|?|^(tee|cp|shred|truncate) (.* )?)\/dev\/(?!(null|zero|stdout|stderr|tty|fd|shm|pts|full)\b)/,
  ],
  ['sql-drop', 'it drops parts of a database', sql('\\bdrop␣(table|database|schema|view|index|user|role|column)\\b')],
  ['sql-delete', 'it deletes all rows of a table', sql('\\bdelete␣from␣\\w(?![^；]*\\bwhere\\b)')],
  ['sql-truncate', 'it empties tables of a database', sql('\\btruncate␣(table␣)?\\w')],
  [
    'system-settings',
    "it changes the system's settings in /etc",
    /(>+\|?|^(tee|rm|truncate|touch|chmod|chown|unlink) (.* )?)(\/private)?\/etc(\/|$| )/,
  ],
  [
    'system-settings',
    "it copies or moves into the system's settings in /etc",
    /^(cp|mv|install|ln|rsync) (.* )?(\/private)?\/etc(\/\S*)?$|^(cp|mv|install|ln) .*(-t|--target-directory)[ =]?\/etc/,
  ],
  ['system-settings', "it edits the system's settings in /etc", /^(sed|gsed|perl|ruby) (.* )?(-[a-zA-Z]*i\S*|--in-place\S*) .*\/etc\//],
  [
    'services',
    'it stops, restarts or disables services of the machine',
    /^(systemctl (.* )?(stop|restart|try-restart|reload-or-restart|disable|mask|kill)( |$)|service \S+ (stop|restart)|rc-service \S+ (stop|restart)|rc-update del|update-rc\.d \S+ (remove|disable)|launchctl (unload|bootout|stop|remove|disable|kill)|init\.d\/)/,
  ],
  [
    'kill',
    'it ends processes by name or by force',
    /^(killall5?|pkill|skill|taskkill)( |$)|^kill (.* )?(-9|-KILL|-SIGKILL|-s (9|KILL|SIGKILL)|-n 9)( |$)|^fuser .*-k/,
  ],
  [tooLong.name, tooLong.sentence, /^:too-long$/],
  ['shell-command', 'it runs commands that are hidden in a text', new RegExp(`^(${shell}|su) (.* )?-[a-zA-Z]*c[a-zA-Z]*( |$)|^eval `)],
  [
    'script-text',
    'it runs a program that is written into the command',
    /^(python[\d.]*|pypy3?) (-\S+ )*-[a-zA-Z]*c|^(perl|ruby) (-\S+ )*-[a-zA-Z]*[eE]|^(node|bun|lua|osascript|Rscript|julia|elixir) (-\S+ )*(-e|-p|-pe|--eval|--print)( |=|$)|^deno eval |^(python[\d.]*|perl|ruby|node|php|lua)( -)?( \S+)* <<|^php (-\S+ )*-r|^[gmn]?awk .*(system\(|¦␣*")/,
  ],
  ['remote-script', 'it runs what it fetches from the network', new RegExp(`(^|\\| )${fetcher} .*\\| ${reader}`)],
  [
    'remote-script',
    'it runs what it fetches from the network',
    new RegExp(`^(${interpreter}|source|\\.|eval|su) (.* )?(\\$|‹)?\\((${fetcher})␣`),
  ],
  ['piped-script', 'it runs a text that it makes itself', new RegExp(`\\| ${reader}`)],
  ['piped-script', 'it runs a text that it makes itself', new RegExp(`^(${shell}|source|\\.) (.* )?(‹\\(|<<)`)],
  [
    'own-process',
    'it stops the agent itself',
    new RegExp(
      `^(npx )?${agent} gateway (stop|restart|uninstall)|^node \\S*agent\\.mjs gateway (stop|restart)|^kill .*(gateway[.-]pid|\\$PPID)|^(pkill|killall) .*\\b(agent|node)\\b`,
    ),
  ],
  [
    'detached-gateway',
    'it starts a gateway that nobody watches',
    new RegExp(
      `(nohup|setsid) (.* )?(npx |node )?${agent} gateway|^(npx |node )?${agent} gateway run.* &$|^(npx |node )?${agent} gateway (start|install)|^systemd-run .*agent gateway`,
    ),
  ],
  [
    'own-settings',
    'it changes the settings or plugins of the agent itself',
    new RegExp(
      `^(npx |node )?${agent} (-\\S+ (\\S+ )?)*(config (set|unset)|plugins (enable|install|link)|pairing (approve|revoke|clear-pending)|auth login|login)( |$)`,
    ),
  ],
  [
    'containers',
    'it stops or removes containers',
    new RegExp(
      `^${containers} (stop|restart|kill|rm|rmi|down|prune|system prune|volume rm|volume prune|image rm|image prune|network rm|network prune)( |$)`,
    ),
  ],
  [
    'container-daemon',
    'it talks to another container daemon',
    /^(.* )?(DOCKER_HOST|CONTAINER_HOST|DOCKER_CONTEXT)=|^(docker|podman|nerdctl) (.* )?(-H|--host|--context|--url)[ =]|^docker context use|^export (DOCKER_HOST|CONTAINER_HOST|DOCKER_CONTEXT)=/,
  ],
  ['hidden-program', 'the name of the program is put together while it runs', /^(?!\[\[? )[^ :‹]*[*?[][^ ]* |^\$\(|^\$[A-Za-z_]\w* /],
]

/** Why commands are asked about, as one table; every category of the settings' allow-list is in it. */
export const dangers: readonly Pattern[] = table.map(([name, sentence, pattern]) => ({ name, sentence, pattern }))
