import { type DangerRow, sql } from './danger-rows.ts'

const git = '^git (-\\S+ ([^- ]\\S* )?)*'
/** Folders into which everybody writes. */
const temporary = '\\/(tmp|var\\/tmp|dev\\/shm)\\/'
const local = '(localhost|127\\.0\\.0\\.1|\\[::1\\])'
/** Settings of git that run nothing and lead nowhere else. */
const plainSettings =
  '(user|color|advice|pull|push|fetch|rebase|merge|rerere|branch|tag|log|status|format|column|commit|init|submodule|blame|grep|help|stash|apply|gc|pack|index|feature|lfs|alias|versionsort|transfer|receive|worktree|core|diff|gui|safe|credential|difftool|mergetool|remote|filter|include|includeif|http|https|url|gpg|sequence|maintenance|i18n|notes|checkout|clone|clean|am|mailinfo|showbranch|trailer|web|browser|pager|interactive|protocol|uploadpack|sendemail|extensions|instaweb|man)'

/** What a sandbox stops, and what nobody can tell from the words, one for each kind of program. */
export const nearDangers: readonly DangerRow[] = [
  ['delete-tool', 'it makes files unreadable for good', /^(shred|srm|wipe)( |$)(?!--(help|version))/, 'machine'],
  [
    'send-files',
    'it copies files to another machine',
    /^scp (.* )?(?!-)\S+ (?!(\/|\.)\S*:)[\w.@-]+:\S*$|^scp (.* )?scp:\/\/\S+$|^rsync (.* )?(?!-)[^ :]+ [\w.@-]+:\S*$/,
  ],
  [
    'send-files',
    'it sends what a program prints to another machine',
    new RegExp(`\\| (\\S+ )*(curl|wget|https?|xh) (?!.*${local})(.* )?(-d|--data\\S*|--json|-F|--form|-T|--upload-file|--post-file|@-|-X)`),
  ],
  [
    'send-files',
    'it sends files to another machine',
    new RegExp(`^curl (?!.*${local})(.* )?(-K|--config|--mail-from|--mail-rcpt|-Q|--quote|smb:|smtps?:|ftps?:\\S* -T)`),
  ],
  [
    'remote-change',
    'it changes what lies on another machine',
    new RegExp(
      `^gh api (.* )?(-f|-F|--field|--raw-field|--input)|^(curl|wget) (?!.*${local})(.* )?(-X ?|--request[= ]|--method[= ])(PUT|PATCH|DELETE)( |$)|^(https?|xh) (?!.*${local})(.* )?(PUT|PATCH|DELETE) (?!:)`,
      'i',
    ),
  ],
  [
    'git-hooks',
    'it changes a setting of git that is not known here',
    new RegExp(
      `${git}config (--global |--local |--replace-all |--add |--system |--worktree |set )*(?!-|get |list)(?!${plainSettings}\\.)\\S+ \\S`,
      'i',
    ),
  ],
  [
    'own-process',
    'it ends many programs at once',
    /^(pkill|killall|killall5) (.* )?(-u|-U|--euid|--uid|--user|-9 -f \.|\.\*?|-v)( |$)|^(kill|killall5) (.* )?-(9|KILL|s KILL) (.* )?(1|-\d+)$/,
  ],
  [
    'open-door',
    'it lets other machines in',
    /^(nc|ncat|netcat|socat) (.* )?(-\w*l\w*k\w*|-\w*k\w*l\w*|-\w*l\w* .*(\||>)|TCP\S*-LISTEN)|^(php|python[\d.]*) (?!(\S*\/)?manage\.py runserver)(?!artisan serve).*0\.0\.0\.0|^(jupyter|code) (.* )?(--ip[ =]?\S*0\.0\.0\.0|tunnel|serve-web)|^ssh-keygen .*-\w*p/i,
  ],
  [
    'hidden-program',
    'an option makes another program run',
    /^(make|gmake|just|task) (.* )?\w+=\S*(rm␣|curl␣|wget␣|sh␣-c|\$\(shell|＆|；|¦|`)|^(vim?|nvim|ex|view) (.* )?--?cmd|^tmux (.* )?(-f|source-file|source|pipe-pane|run-shell|run|if-shell) ?\S|^gdb (.* )?-(ex|x|batch) .*(shell|python|call)/,
  ],
  [
    'script-text',
    'it runs a module that changes the machine',
    /^python[\d.]* (.* )?-m (ensurepip --|smtpd|aiosmtpd|ftplib|pyftpdlib|uploadserver|webbrowser|pty|turtledemo|zipapp)/,
  ],
  [
    'git-discard',
    'it throws away work that is not kept',
    new RegExp(`${git}(reset (.* )?--(keep|merge)|rm (?!.*--cached)(.* )?-(\\w*r\\w*f|\\w*f\\w*r)\\w*)( |$)`),
  ],
  ['overwrite', 'it changes files in place by a program', /^[gmn]?awk (.* )?(-i inplace|--include[= ]inplace)/],
  ['move-away', 'it moves files to where they get lost', /^g?mv (.* )?(-t ?|--target-directory[= ])\/(tmp|var\/tmp|dev)/],
  [
    'git-force',
    'it names an address for git that is not the usual one',
    new RegExp(`${git}remote (set-url|add (-\\S+ )*(?!(origin|upstream) )\\S+) `),
  ],
  [
    'package-source',
    'it changes a setting of a package manager',
    /^(npm|pnpm|yarn) (-\S+ )*(config )?set (?!(--\S+ )*(save-\w+|save|fund|audit|loglevel|engine-strict|init[.-]\S+|progress|color|update-notifier|legacy-peer-deps|version|resolution|nodeLinker|enable\w+|compressionLevel|defaultSemverRangePrefix|auto-install-peers|strict-peer-dependencies|shamefully-hoist|store-dir|package-lock)([ =]|$))|^go env (.* )?-w|^(poetry|pdm|bundle|bundler|conda|composer) config (.* )?(repositor\S*|source\S*|mirror\S*|channel\S*|pypi\S*) ?\S/,
  ],
  [
    'package-source',
    'it installs a package that is no part of the system',
    /^(apt|apt-get|dnf|yum|zypper|apk|pacman|flatpak|snap|brew) (.* )?(install|add|in|-U\w*) (.* )?(\S*\/\S*\.(deb|rpm|apk|snap|flatpak|zst)|https?:\S+|--dangerous|--allow-untrusted|--nogpgcheck|--allow-unauthenticated)/,
  ],
  ['other-user', 'it runs as another user', /^(sudo|doas) (-\S+ )*(-\w*[si]\w*|--shell|--login)$/],
  [
    'script-text',
    'it runs statements of a file that is not part of the work',
    /^(psql|mysql|sqlite3) (.* )?(-f|--file|\.read) ?[=]?\/(tmp|var|dev\/shm)/,
  ],
  [
    'shell-command',
    'it runs a text that nobody knows before',
    /^(xargs|parallel|find|fd) (.* )?(\S*\/)?((ba|z|da|k)?sh) -\w*c\w* (\/[^ ␣]*\/)?(\{\}|"?\$)/,
  ],
  [
    'overwrite',
    'it empties files',
    /^(tee|sponge) (.* )?<\/dev\/(null|zero)|^sort (.* )?-o.*\/dev\/null|^cp (.* )?\/dev\/(zero|u?random) /,
  ],
  ['git-hooks', 'it changes what git runs by itself', new RegExp(`${git}(clone|init) (.* )?--template`)],
  ['open-door', 'it lets other machines in', /^(kubectl|oc) (.* )?--address[ =]?\S*0\.0\.0\.0/],
  ['package-source', 'it changes where packages come from', /^brew tap \S+ \S/],
  [
    'script-text',
    'it runs a file that is not part of the work',
    /^(psql|mysql|mariadb|sqlite3|python[\d.]*|node|perl|ruby|php|(ba|z|da)?sh) (.* )?<\/(tmp|var\/tmp|dev\/shm)\//,
  ],
  [
    'remote-delete',
    'it deletes what lies on other machines',
    new RegExp(`^(curl|wget|https?|xh) (?!.*${local}).*\\/_(delete_by_query|close|shutdown)`),
  ],
  ['sql-drop', 'it empties or deletes a database', /^dotnet ef (.* )?database drop/],
  [
    'other-user',
    'it runs as another user',
    /^(sudo|doas) (.* )?(ba|z|da|k)?sh$|^(sudo|doas) (.* )?(python[\d.]*|perl|ruby|node|php|lua) (.* )?-\w*[cer]( |$)/,
  ],
  [
    'shell-command',
    'it runs a text that nobody knows before',
    /^find .*-(exec|ok)(dir)? (\S*\/)?(ba|z|da|k)?sh( (\S*\/)?[；+]|$)|^[gmn]?awk .*¦␣?"?(\/bin\/)?(ba|z|da|k)?sh|^parallel( -\S+)*( <\S*| ::::.*)?$|\| parallel( -\S+)*$/,
  ],
  ['services', 'it changes how the machine is set up', /^date (.* )?(-s|--set)|^hostname (?!-)\S+$/],
  ['sql-delete', 'it deletes or changes all rows of a table', sql('\\b(delete|update)␣[^；]*where␣(true|1␣?=␣?1|1|not␣false)\\b')],
  ['containers', 'it runs containers that are described elsewhere', /^(docker|podman)(-compose| compose)? (.* )?(-f|--file)[ =]?https?:/],
  ['key-store', 'it shows keys that another program keeps', /^(kubectl|oc) (.* )?config view (.* )?--raw/],
  [
    'package-source',
    'it runs a program straight from the network',
    /^deno (.* )?(npm|jsr):|^(npm|pnpm|yarn|bun) (.* )?\S+@(git|https?:|github:|file:\/)|^brew (install|reinstall) (-\S+ )*[\w-]+\/[\w-]+\/\S+/,
  ],
  [
    'publish',
    'it publishes, for everybody to see',
    /^(flutter|dart) pub publish|^(gradlew|gradle|mvnw|mvn|sbt) (.* )?\S*(publish(?!ToMavenLocal|Local)|uploadArchives)|^mvnw (.* )?deploy( |$)/,
  ],
  ['delete-all', 'it deletes all that a folder holds', /^(rm|unlink) (.* )?\S*\*\*/],
  ['git-discard', 'it throws away work that is not kept', /^(.* )?(xargs|parallel) (.* )?git (checkout|restore)( |$)/],
  [
    'script-text',
    'it runs a program from a folder of temporary files',
    new RegExp(
      `^((npm|pnpm|yarn|bun) (.* )?(--prefix|-C|--dir|--cwd)|g?make (.* )?(-C|-f|--directory|--file|--makefile)|ninja (.* )?-[Cf]|cargo (.* )?(--manifest-path|-C|--config)|gradlew? (.* )?(-p|--project-dir|-I|--init-script|-c|-b)|mvnw? (.* )?(-f|--file)|go (run|generate|test)|(node|nodejs|bun|deno|tsx|ts-node) (.* )?(-r|--require|--import|--loader|--experimental-loader)|(ruby|perl|php|python[\\d.]*|lua) (.* )?(-r|-I|-M|-d \\S+=|-l)|java (.* )?(-agentpath:|-agentlib:|-javaagent:|-jar|-cp|-classpath|--module-path|-p)|(pytest|py\\.test|tox|nox|just|task|rake|ant|scons|invoke|bazel|mocha|jest|vitest|eslint|prettier|stylelint|webpack|rollup|vite|babel|esbuild|tsup|postcss|commitlint|lint-staged|gulp|grunt|cypress|playwright) (.* )?(--rootdir|--confcutdir|-c|-f|-r|-C|--config|--configfile|--rulesdir|--plugin|--require|--resolve-plugins-relative-to|--rcfile|--setup-files|--taskfile|--justfile|--rakefile|--gulpfile)|(pip[\\d.]*|uv pip|pipx|npm|pnpm|yarn|gem|cargo|go) (.* )?(install|add|i|link|ln)( -\\S+)*|pandoc (.* )?(-L|-F|-d|--lua-filter|--filter|--defaults)|(gcc|g\\+\\+|cc|clang|clang\\+\\+) (.* )?(-fplugin|-B|-specs)|ansible-playbook|terraform (.* )?-chdir|docker(-compose| compose) (.* )?(-f|--file)|rg (.* )?--pre|(mpv|vlc) (.* )?--script|flask (.* )?--app|uvicorn (.* )?--app-dir|gunicorn (.* )?--chdir)[ =]?${temporary}`,
    ),
  ],
  [
    'hidden-program',
    'an option makes another program run',
    /^(npm|pnpm|yarn) (.* )?--script-shell|^(gcc|g\+\+|cc|clang|clang\+\+) (.* )?-wrapper |^g?tar (.* )?--to-command[ =]?(\S*\/)?(ba|z|da)?sh|^(node|nodejs|bun|tsx) (.* )?(--import|--loader|-r|--require)[ =]?(data|https?):|^git (-\S+ ([^- ]\S* )?)*(clone|fetch|pull|push|ls-remote|remote|submodule) (.* )?(ext|fd)::|^go (.* )?-(toolexec|vettool|exec)[ =]|^printf -v ?PATH |^fc (?!-l)|^(yt-dlp|youtube-dl) (.* )?--(exec|downloader|external-downloader-args)/,
    'beyond',
  ],
  [
    'other-user',
    'it runs in another system or in the place of another program',
    /^((sudo|doas|env|nohup|time|timeout|nice) )*(chroot|nsenter)( |$)/,
  ],
  [
    'overwrite',
    'it unpacks files to wherever an archive says',
    /^(g|bsd)?tar (?=.*(-\w*P|--absolute-(names|paths)))-{0,2}(.* )?-?\w*x|^(g|bsd)?tar \w*x\w*P|^cpio (?=.*-\w*i)(.* )?--absolute/,
  ],
  [
    'send-files',
    'it sends files to another machine',
    new RegExp(`^ffmpeg (?!.*${local})(.* )?(tcp|udp|rtmps?|https?|s?ftp|srt|rtsp|icecast):\\/\\/[^ ]*$`),
  ],
  [
    'key-store',
    'it shows keys that another program keeps',
    /^(npm|pnpm|yarn) (config )?get \S*(auth|token|password)|^heroku config(:get)? (.* )?\S*(key|token|secret|password|url)|^(npm|pnpm) config (ls|list) (.* )?(-l|--json)/i,
  ],
  [
    'git-force',
    'it names an address for git that is not the usual one',
    new RegExp(`${git}config (--(add|replace-all|local|global) )*remote\\.\\S+\\.(push)?url \\S`, 'i'),
  ],
  ['piped-script', 'it runs a text that it makes itself', /^(python[\d.]*|node|nodejs|perl|ruby|php|lua|deno|bun)( -)? <\S*‹\(/],
  ['remote-shell', 'it joins a program with another machine', /^[gmn]?awk .*\/inet[46]?\/(tcp|udp)/, 'beyond'],
  [
    'key-store',
    'it looks for keys on the whole machine',
    /^find \/(home(\/[^/ ]+)?|root|etc|Users(\/[^/ ]+)?)?( \/\S*)* (.* )?-i?name \S*(id_(rsa|dsa|ecdsa|ed25519)|\.(pem|key|p12|pfx|kdbx|env|netrc|pgpass)|credential|secret|password|wallet)/i,
  ],
  ['key-store', 'it sends a login that another file keeps', /^curl (.* )?--netrc/],
  ['container-daemon', 'it talks to another container daemon', /^curl (.* )?--unix-socket[ =]?\S*(docker|containerd|podman)/],
]
