import { type DangerRow, farDangers, type Harm, sql } from './danger-rows.ts'
import { nearDangers } from './near-dangers.ts'
import { ownDangers } from './own-dangers.ts'

export interface Pattern extends Danger {
  readonly pattern: RegExp
}

/** A reason to ask. The name is what an allow-list holds, the sentence what a person reads. */
export interface Danger {
  readonly name: string
  readonly sentence: string
  /** `machine`: a sandbox stops it. `inside`: it harms the workspace. `beyond`: it reaches past this machine or outlives the command. */
  readonly harm: Harm
  /** Asked in every mode, and answered by no model. */
  readonly onlyPeople?: boolean
}

export const tooLong: Danger = { name: 'too-long', harm: 'machine', sentence: 'it is too long to be judged' }

const shell = '(ba|z|da|k|mk|a|fi)?sh'
/** Reads its program from the pipe; with a script's name or `-m` it would read data. */
const reader = `(${shell}( |$)|(python[\\d.]*|perl|ruby|node|php|lua)( -)?$)`
const interpreter = `(${shell}|python[\\d.]*|perl|ruby|node|php|lua)`
const fetcher = '(curl|wget|fetch|aria2c|http|https|xh)'
const containers = '(docker|podman|nerdctl|docker-compose|podman-compose)( -\\S+( [^- ]\\S*)?)*( compose| container)?( -\\S+( [^- ]\\S*)?)*'

const table: readonly DangerRow[] = [
  ...farDangers,
  ...nearDangers,
  ['recursive-delete', 'it deletes folders with all that is in them', /^rm (.* )?(-[a-zA-Z]*[rR][a-zA-Z]*|--r[a-z]*)( |$)/, 'inside'],
  ['delete-in-root', 'it deletes right below the root of the file system', /^(rm|rmdir|unlink|shred) (.* )?\/[^/ ]+( |$)/],
  [
    'find-delete',
    'it deletes whatever a search finds',
    /^find .*-delete( |$)|^(find|fd|fdfind) .*(-exec(dir)?|-ok(dir)?|-x|-X) (\S*\/)?(rm|shred|unlink)( |$)/,
    'inside',
  ],
  ['xargs-delete', 'it deletes whatever it is handed', /^(xargs|parallel) (.* )?(\S*\/)?(rm|shred|unlink)( |$)/, 'inside'],
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
  ['sql-drop', 'it drops parts of a database', sql('\\bdrop␣(table|database|schema|view|index|user|role|column)\\b'), 'beyond'],
  ['sql-delete', 'it deletes all rows of a table', sql('\\bdelete␣from␣\\w(?![^；]*\\bwhere\\b)'), 'beyond'],
  ['sql-truncate', 'it empties tables of a database', sql('\\btruncate␣(table␣)?\\w'), 'beyond'],
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
    /^(killall5?|pkill|skill|taskkill)( |$)|^kill (.* )?(-|-[sn] ?|--signal[= ])(9|10|19|(SIG)?(KILL|STOP|USR1))( |$)|^kill .*\$\(|^kill (.* )?-\d{2,}$|^fuser .*-\S*k|^(xargs|parallel) (.* )?kill( |$)/,
  ],
  [tooLong.name, tooLong.sentence, /^:too-long$/],
  [
    'shell-command',
    'it runs a text that nobody knows before',
    new RegExp(`^(${shell} (.* )?-[a-zA-Z]*c[a-zA-Z]*|eval|su (.* )?-c) .*[$‹](\\(|\\w)`),
  ],
  ['script-text', 'it runs a program that changes files, runs others or cannot be read', /^:harmful-script$/],
  ['recursive-delete', 'it runs a program that deletes folders', /^:tree-script$/, 'inside'],
  [
    'delete-all',
    'it deletes all that a folder holds',
    /^(rm|shred|unlink|srm|trash(-put)?) (.* )?(\S*\/)?(\*|\{\*,\.\*\}|\.\[!\.\]\*)( |$)/,
    'inside',
  ],
  [
    'delete-tool',
    'it deletes folders with all that is in them',
    /^((npx|bunx|pnpm|yarn|dlx)( \S+)* )?(rimraf|del-cli|trash|trash-put|srm|shx rm|gio trash|rmtree|wipe|cmake -E (rm|remove|remove_directory))( |$)|^shred .*-\S*u|^perl-rename/,
    'inside',
  ],
  [
    'sync-delete',
    'it deletes what the other side does not have',
    /^(rsync|rclone|robocopy|unison) (.* )?(--del|--remove-source-files|sync |--mir|\/MIR)/,
    'inside',
  ],
  [
    'archive-delete',
    'it deletes what it has packed',
    /^(tar|bsdtar) .*--remove-files|^zip (.* )?(-\w*m\w*|--move)( |$)|^7z .*-sdel|^(gzip|xz|bzip2|zstd) .*-r\S* .*\/?\.git/,
    'inside',
  ],
  [
    'overwrite',
    'it empties or overwrites whatever a search finds',
    /^(find|fd|fdfind|xargs|parallel) (.* )?(\S*\/)?(truncate|tee|dd|cp \/dev\/null)( |$)/,
    'inside',
  ],
  [
    'move-away',
    'it moves files to where they get lost',
    /^mv (.* )?(\/dev\/null|\/tmp(\/\S*)?|\/var\/tmp(\/\S*)?|\/dev\/shm(\/\S*)?|\S*\/Trash\S*)$/,
    'inside',
  ],
  [
    'git-discard',
    'it throws away work that git does not keep',
    /^git (-\S+ ([^- ]\S* )?)*(clean (.* )?(-[a-zA-Z]*[fdxX]|--force)|reset (.* )?--hard|(checkout|restore(?! (\S+ )*(--staged|-S)(?! (\S+ )*(--worktree|-W)))) (.* )?(-f|--force|--worktree|-W|--|\S+)? ?(\.|:\/|\*)( |$)|checkout (.* )?(-f|--force)( |$)|rm (.* )?-\w*r\w* (.* )?\.( |$)|reflog (expire|delete)|gc (.* )?--prune=(now|all)|stash (clear|drop)|branch (.* )?(-D|(-d|--delete) (.* )?(-f|--force)|--force (.* )?--delete)|switch (.* )?(-f|--force|--discard-changes)( |$)|filter-(branch|repo)|update-ref (.* )?-d|worktree remove (.* )?(-f|--force)|prune( |$))/,
    'inside',
  ],
  [
    'git-force',
    'it overwrites or deletes what others have',
    /^git (-\S+ ([^- ]\S* )?)*push (.* )?(-[a-zA-Z]*[fd][a-zA-Z]*|--force\S*|--mirror|--delete|--prune|\+\S+|:\S+)( |$)/,
    'beyond',
  ],
  [
    'publish',
    'it publishes, for everybody to see',
    /^((npm|pnpm|yarn|bun|cargo|gem|poetry|uv|flit|hatch|vsce|ovsx|dotnet nuget|mvn|gradle|helm|npm run) (\S+ )*(publish|push|unpublish|deprecate|yank|deploy)|twine upload|docker push|podman push|gh (release|gist) (create|delete|upload)|gh (repo|issue|pr) delete|gh repo (create|edit|archive))( |$)/,
    'beyond',
  ],
  [
    'remote-delete',
    'it deletes what lies on other machines',
    /^(kubectl|oc) (.* )?(delete|drain|replace --force)( |$)|^(terraform|tofu|pulumi|cdk|serverless|sls) (.* )?(destroy|remove)( |$)|^terraform apply .*-auto-approve|^vagrant destroy|^aws .*( (rm|rb|delete\S*|terminate\S*|remove\S*)( |$)|--delete)|^(gcloud|az|doctl|heroku|fly|flyctl|vercel|netlify|gsutil|linode-cli|hcloud|s3cmd|mc|rclone) (.* )?(\S*delete\S*|\S*destroy|rm|rb|remove|purge)( |$)|^helm (uninstall|delete)|^(wrangler|firebase) (.* )?\S*(delete|destroy)( |$)|^(redis-cli|mongo(sh)?) .*(flush|drop)|^mysqladmin (.* )?drop( |$)|^(kubectl|oc) (.* )?(apply|create) (.* )?(-f|--filename)[ =]?https?:|^dropdb |^(http|https|xh) DELETE |^curl (?!.*(localhost|127\.0\.0\.1))(.* )?(-X ?|--request[= ])DELETE/i,
    'beyond',
  ],
  [
    'remote-command',
    'it runs commands on another machine',
    /^(ssh|autossh|mosh|dbclient|rsh|telnet(?! localhost| 127)|sshpass|pdsh|ssh-copy-id|ansible|ansible-(playbook|pull|console)|salt|parallel-ssh|pssh) (?!-V|--version|--help|-G|-Q|-T git@(github|gitlab|bitbucket|codeberg)\.\w+$)|^sftp (.* )?-b/,
    'beyond',
  ],
  [
    'container-root',
    'it gives a container the machine',
    /^:container-mount$|^(docker|podman|nerdctl|docker-compose) (.* )?(--privileged|--pid[= ]host|--cap-add|--device|--security-opt|--userns[= ]host|--net(work)?[= ]host)/,
    'beyond',
  ],
  [
    'schedule',
    'it changes what runs by itself later',
    /^(crontab( (?!-l)|$)|(at|batch)( (?!-l)|$)|systemctl (.* )?(enable|edit|link|daemon-reload)( |$)|systemd-run |launchctl (load|bootstrap|submit)|chsh |update-alternatives |loginctl enable-linger)|\| (\S+ )*crontab/,
  ],
  [
    'permissions',
    'it takes away or changes the rights on whole folders',
    /^(chmod|setfacl|chattr) (.* )?((-[a-zA-Z]*R[a-zA-Z]*|--recursive) (.* )?(0*[0-3]?[0-7]{0,2}|[augo]*-[rwx]+|[ugoa]*=)( |$)|(000|0000|a-rwx|a=|\+i|ugo-rwx|a-w|a-r|u-rwx|-rwx)( |$))/,
    'inside',
  ],
  [
    'permissions',
    'it changes the rights on whole folders',
    /^(setfacl|chattr) (.* )?(-[a-zA-Z]*R[a-zA-Z]*|--recursive)( |$)|^chmod (.* )?(-\w*R\w*|--recursive) (.* )?[ugoa]+=(,| )/,
    'inside',
  ],
  [
    'privileges',
    'it lets a program run with the rights of somebody else',
    /^chmod (.* )?([ugo]*a?[+=][rwxXt]*s\S*|0?[2-7][0-7]{3})( |$)|^setcap /,
  ],
  [
    'packages',
    'it removes programs of the machine',
    /^(apt|apt-get|aptitude|dnf|yum|zypper|apk|brew|snap|flatpak|pacman|dpkg|rpm) (.* )?(remove|purge|autoremove|uninstall|erase|del|-R\w*|-r|-P|-e|--remove|--purge|--erase)( |$)/,
  ],
  [
    'package-source',
    'it changes where packages come from',
    /^(npm|pnpm|yarn) (config )?(.* )?set (.* )?\S*registry|^pip3? config (.* )?set (.* )?\S*(index-url|trusted-host)|^gem sources (-a|--add)/,
  ],
  [
    'key-store',
    'it shows or deletes keys that another program keeps',
    /^gpg2? (.* )?--(export-secret|decrypt|delete-secret)|^ssh-add (.* )?-[dDxX]( |$)|^pass( show| ls)? \S|^secret-tool (lookup|search)|^security (find|dump|export)|^(kwallet-query|op (read|item|document)|bw (get|list|export)|vault (read|kv)|lpass (show|export)|chamber read|doppler secrets|aws (configure get|secretsmanager|ssm get)|gcloud auth print-\S+|aws sts get-session-token|git credential fill|kubectl get secrets?|gh auth token|az account get-access-token|docker-credential-\S+)( |$)/,
  ],
  [
    'remote-shell',
    'it joins a program with another machine',
    /[<>]&?\s*\/dev\/(tcp|udp)\/|^(busybox )?(nc|ncat|netcat) (.* )?(-[a-zA-Z]*[ec]|--exec|--sh-exec|--lua-exec)( |$)|^socat (.* )?(EXEC|SYSTEM|SHELL):/i,
    'beyond',
  ],
  [
    'users',
    'it changes the users of the machine',
    /^(useradd|userdel|usermod|adduser|deluser|groupadd|gpasswd|passwd|chpasswd|visudo|vipw|dscl)( |$)/,
  ],
  [
    'firewall',
    'it changes the network of the machine',
    /^(iptables|ip6tables|nft|ufw|firewall-cmd|ifconfig \S+ down|ip (link|route|addr) (set|del|add|flush)|sysctl (.* )?-w|sysctl \S+=|modprobe|insmod|rmmod|swapoff|mount -a|mount(?= (?!-l|-t \S+$|\|)\S)|umount|setenforce|nmcli (.* )?(down|delete|off|disconnect))( |$)/,
  ],
  ['other-user', 'it runs as another user', /^(su|runuser|pkexec)( |$)|^(sudo|doas)( (su|(ba|z|da)?sh))?$/],
  [
    'process-environment',
    'it shows the environment of other programs',
    /^ps (-\S+ )*[a-zA-Z]*e[a-zA-Z]*( |$)|^ps .*-E\w*( |$)|^(gdb|lldb|strace|ltrace|gcore) (.* )?(-p|--pid|attach)|^(gcore|pmap|procdump|cat (\S+ )*\/proc\/(?!(sys|net|bus|driver|irq|fs)\/)[^ ]*\/)/,
  ],
  [
    'history',
    'it removes traces',
    /^(history -[cd]|unset HISTFILE|truncate .*_history|.*>+\|?\s*\S*_history( |$)|journalctl .*--vacuum|wevtutil cl)/,
  ],
  ['kernel', 'it changes the running kernel', />\s*\/proc\/|^(tee|dd|cp) .*\/(proc|sys)\//],
  ['hidden-program', 'the words of the command are decoded while it runs', /^:decoded$/],
  [
    'git-hooks',
    'it changes what git runs by itself',
    /^git (-\S+ ([^- ]\S* )?)*config (.* )?(--system .*\S+ |core\.(hooksPath|sshCommand|fsmonitor|askPass|pager)|credential\.\S*helper(?! (cache|store|osxkeychain|manager\S*|libsecret|wincred)$)|include(If\S*)?\.path|diff\.external|alias\.\S+ !\S*|filter\.\S+|url\.\S+) ?\S|^git (.* )?(-c|--config-env) ?core\.hooksPath=/i,
    'beyond',
  ],
  [
    'hidden-program',
    'an option makes another program run',
    /^sort .*--compress-program|^mvnw? (.* )?-Dexec\.(executable|args)=|^(npm|pnpm|yarn) config set (script-shell|shell)/,
  ],
  ['hidden-program', 'a variable makes another program run', /^:loads$/],
  ['made-here', 'it runs a program that was just made, and whose text is not known', /^:made-here$/],
  ['unknown-wrapper', 'another program runs it, by an option that is not known here', /^:unsure$/],
  ['unknown-folder', 'it is not known in which folder it runs', /^:unknown-folder$/],
  ['agent-home', "it works in the agent's own folder", /^:own-home$/],
  ['remote-script', 'it runs what it fetches from the network', new RegExp(`(^|\\| )${fetcher} .*\\| ${reader}`)],
  [
    'remote-script',
    'it runs what it fetches from the network',
    new RegExp(`^(${interpreter}|source|\\.|eval|su) (.* )?(\\$|‹)?\\((${fetcher})␣`),
  ],
  ['piped-script', 'it runs a text that it makes itself', new RegExp(`\\| (${reader}|g?make (.* )?(-f|--file) ?(-|/dev/stdin))`)],
  ['piped-script', 'it runs a text that it makes itself', /^g?make (.* )?(-f|--file|--makefile)[ =]?(-|\/dev\/stdin)( |$)/],
  [
    'piped-script',
    'it runs a text that it makes itself',
    new RegExp(`^(${shell}|source|\\.) (.* )?(‹\\(|<<)|^(g?make|cmake|ctest|ninja|gradle|just|task) (.* )?‹\\(`),
  ],
  ['own-process', 'it stops the agent itself', /^:own-process$/],
  ...ownDangers,
  [
    'containers',
    'it stops or removes containers',
    new RegExp(
      `^${containers} ((stop|restart|down) (.* )?(-v|--volumes|--rmi|\\S*\\$)|kill|rm|rmi|prune|system (prune|reset)|builder prune|volume rm|volume prune|image rm|image prune|network rm|network prune)( |$)`,
    ),
  ],
  [
    'container-daemon',
    'it talks to another container daemon',
    /^(.* )?(DOCKER_HOST|CONTAINER_HOST|DOCKER_CONTEXT)=|^(docker|podman|nerdctl) (.* )?(-H|--host|--context|--url)[ =]|^docker context use|^export (DOCKER_HOST|CONTAINER_HOST|DOCKER_CONTEXT)=/,
  ],
  [
    'hidden-program',
    'the name of the program is put together while it runs',
    /^(?!\[\[? )[^ :‹]*[*?[][^ ]* |^\$\(|^\$[A-Za-z_]\w*( |$)|^set (-\S+ )*-- /,
  ],
  [
    'hidden-program',
    'other programs take the names of known ones',
    /^((export|declare|readonly|typeset|local)( -\S+)* )?PATH=(\.|:|[^/$.:]|\/tmp|\/var\/tmp|\/dev\/shm)|^hash (\S+ )*-p|^enable (\S+ )*-f/,
  ],
  ['hidden-program', 'an option makes another program run', /^(ba|z|k)?sh (.* )?--(init-file|rcfile)|^PS\d=.*\$\(/],
  ['hidden-program', 'it runs what it replaces', /^g?sed (\S+ )*s([^\w\s])\S*\2\S*\2[gpimI\d]*e[gpimI\d]*( |;|$)/],
]

/** Why commands are asked about, as one table; every category of the settings' allow-list is in it. */
export const dangers: readonly Pattern[] = table.map(([name, sentence, pattern, harm = 'machine']) => ({ name, sentence, pattern, harm }))
