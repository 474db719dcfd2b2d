/** A program that runs another one, which is named in its arguments. */
export interface Wrapper {
  /** Letters of options that stand alone. */
  readonly flags?: string
  /** Letters of options that take a value, attached or as the next word. */
  readonly valued?: string
  /** Names of long options that stand alone; `--name=value` always does. */
  readonly longFlags?: string
  /** Names of long options that take the next word. */
  readonly longValued?: string
  /** Its long options are many, and none of them takes the next word or runs anything. */
  readonly longAny?: true
  /** Arguments before the program. */
  readonly before?: number
  /** `-5` is a value. */
  readonly numbers?: true
  /** Its own words, one of which stands before the program: `poetry run`, `bundle exec`. */
  readonly verbs?: string
}

const plain: Wrapper = {}
const anyLong = { flags: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' }

/** A program that is not here, and an option that is not here, is judged by what could be a command among its words. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    ...{ flags: 'AbBEeHiKklNnPSsvV', valued: 'CDghpRrtTUu' },
    longFlags:
      'askpass background bell preserve-env edit set-home login remove-timestamp reset-timestamp list non-interactive stdin shell validate preserve-groups no-update',
    longValued: 'user group host prompt chdir chroot role type close-from command-timeout other-user',
  },
  doas: { flags: 'Lns', valued: 'uCa' },
  pkexec: { longFlags: 'disable-internal-agent keep-cwd', longValued: 'user' },
  gosu: { before: 1 },
  'su-exec': { before: 1 },
  runuser: {
    flags: 'lmpfP',
    valued: 'ugGsw',
    longFlags: 'login preserve-environment fast pty',
    longValued: 'user group supp-group shell whitelist-environment',
  },
  env: {
    ...{ flags: 'i0v', valued: 'uCSa' },
    longFlags: 'ignore-environment null debug list-signal-handling default-signal ignore-signal block-signal',
    longValued: 'unset chdir split-string argv0',
  },
  'cross-env': plain,
  dotenv: { flags: 'vo', valued: 'ec', longFlags: 'override' },
  nohup: plain,
  setsid: { flags: 'cfw', longFlags: 'ctty fork wait' },
  disown: plain,
  time: { flags: 'apvq', valued: 'fo', longFlags: 'append portability verbose quiet', longValued: 'format output' },
  nice: { valued: 'n', longValued: 'adjustment', numbers: true },
  ionice: { flags: 't', valued: 'cnpPu', longFlags: 'ignore', longValued: 'class classdata pid pgid uid' },
  stdbuf: { valued: 'ioe', longValued: 'input output error' },
  timeout: { flags: 'vpf', valued: 'ks', longFlags: 'foreground preserve-status verbose', longValued: 'kill-after signal', before: 1 },
  gtimeout: { flags: 'vpf', valued: 'ks', longFlags: 'foreground preserve-status verbose', longValued: 'kill-after signal', before: 1 },
  command: { flags: 'pvV' },
  builtin: plain,
  exec: { flags: 'cl', valued: 'a' },
  busybox: plain,
  toybox: plain,
  unbuffer: { flags: 'p' },
  chroot: { longFlags: 'skip-chdir', longValued: 'userspec groups', before: 1 },
  caffeinate: { flags: 'dimsu', valued: 'tw' },
  strace: { flags: 'cCdDfFhiknNqrtTvVwxyzZ', valued: 'abeEIoOpPsSuUX', longValued: 'trace signal output attach user' },
  ltrace: { flags: 'bcCfhiLrStTV', valued: 'aAdDeFlnopsuwxX' },
  valgrind: {
    ...{ flags: 'qv', longFlags: 'quiet verbose' },
    longAny: true,
  },
  firejail: plain,
  taskset: { flags: 'acp', longFlags: 'all-tasks cpu-list pid', before: 1 },
  chrt: {
    flags: 'abdfimorRv',
    valued: 'TPD',
    longFlags: 'batch deadline fifo idle other rr reset-on-fork verbose all-tasks',
    longValued: 'sched-runtime sched-period sched-deadline',
    before: 1,
  },
  flock: {
    flags: 'sxenuoFv',
    valued: 'wE',
    longFlags: 'shared exclusive nonblock nb unlock close no-fork verbose',
    longValued: 'timeout wait conflict-exit-code',
    before: 1,
  },
  setpriv: {
    ...{ flags: 'd', longFlags: 'dump no-new-privs nnp list-caps clear-groups keep-groups init-groups reset-env' },
    longValued:
      'reuid regid ruid euid rgid egid groups bounding-set inh-caps ambient-caps securebits pdeathsig ptracer selinux-label apparmor-profile landlock-access landlock-rule seccomp-filter',
  },
  unshare: {
    ...{ flags: 'muinpUCTfrc', valued: 'RwSGl' },
    longFlags:
      'mount uts ipc net pid user cgroup time fork map-root-user map-current-user map-auto mount-proc mount-binfmt kill-child keep-caps forward-signals',
    longValued: 'root wd setuid setgid propagation map-user map-group map-users map-groups setgroups monotonic boottime load-interp',
  },
  nsenter: {
    flags: 'amuinpUCTFZWe',
    valued: 'tSG',
    longFlags: 'all mount uts ipc net pid user cgroup time no-fork preserve-credentials',
    longValued: 'target setuid setgid',
  },
  prlimit: { valued: 'p', longValued: 'pid output' },
  setarch: { flags: 'v3BFILRSTXZ', before: 1 },
  linux32: plain,
  linux64: plain,
  'systemd-run': {
    ...{ flags: 'tqPdSGrv', valued: 'puEHM' },
    longFlags: 'scope user system pty wait collect quiet pipe same-dir remain-after-exit no-block no-ask-password shell expand-environment',
    longValued:
      'unit property description slice uid gid nice working-directory setenv on-active on-boot on-calendar host machine service-type timer-property',
  },
  'systemd-inhibit': { longFlags: 'list', longValued: 'what who why mode' },
  proxychains: { flags: 'q', valued: 'f' },
  proxychains4: { flags: 'q', valued: 'f' },
  torsocks: { flags: 'i', valued: 'aup' },
  'dbus-run-session': { longValued: 'config-file dbus-daemon' },
  'xvfb-run': {
    flags: 'al',
    valued: 'efnpsw',
    longFlags: 'auto-servernum listen-tcp',
    longValued: 'auth-file error-file server-num xauth-protocol server-args wait',
  },
  fakeroot: { flags: 'uv', valued: 'lsibf' },
  fakechroot: plain,
  eatmydata: plain,
  rlwrap: { flags: 'acinrRvm', valued: 'bfHlst' },
  winpty: plain,
  chronic: plain,
  ifne: { flags: 'n' },
  entr: { flags: 'acdnprsxz' },
  cpulimit: { flags: 'zim', valued: 'le' },
  numactl: { valued: 'mCNi' },
  faketime: { flags: 'fm', before: 1 },
  xargs: {
    ...{ flags: '0rtpxo', valued: 'adEILnPsJRS' },
    longFlags: 'null no-run-if-empty verbose interactive exit open-tty show-limits eof replace max-lines',
    longValued: 'arg-file delimiter max-args max-procs max-chars process-slot-var',
  },
  parallel: {
    ...{ flags: '0kmtuvXxq', valued: 'jaINnLPSCd' },
    longFlags: 'keep-order dry-run bar verbose null line-buffer ungroup group no-notice will-cite pipe halt-on-error eta progress',
    longValued:
      'jobs arg-file colsep delay timeout halt max-args max-procs workdir joblog results tmpdir delimiter retries tagstring block',
  },
  poetry: { verbs: 'run' },
  pipenv: { verbs: 'run' },
  hatch: { verbs: 'run' },
  pdm: { verbs: 'run' },
  rye: { verbs: 'run' },
  uv: { verbs: 'run', flags: 'qv', longValued: 'with python group extra', longFlags: 'frozen locked no-sync isolated' },
  bundle: { verbs: 'exec' },
  rbenv: { verbs: 'exec' },
  pyenv: { verbs: 'exec' },
  asdf: { verbs: 'exec' },
  mise: { verbs: 'exec x' },
  direnv: { verbs: 'exec', before: 1 },
  opam: { verbs: 'exec' },
  conda: { verbs: 'run', valued: 'np', longValued: 'name prefix cwd', longFlags: 'no-capture-output live-stream' },
  micromamba: { verbs: 'run', valued: 'np', longValued: 'name prefix' },
  nodemon: { valued: 'wex', longValued: 'watch ext delay' },
  npx: { flags: 'yq', valued: 'pc', longFlags: 'yes no no-install quiet ignore-existing', longValued: 'package call' },
  bunx: { longFlags: 'bun' },
  bun: { verbs: 'x' },
  npm: { verbs: 'exec x', flags: 'y', valued: 'pcw', longFlags: 'yes no', longValued: 'package call workspace' },
  pnpm: { verbs: 'exec dlx' },
  yarn: { verbs: 'exec dlx' },
  coproc: plain,
  noglob: plain,
  nocorrect: plain,
  '-': plain,
  rsudo: anyLong,
}
