/** Below the folder of a user: keys, passwords, and the profiles of browsers with their sessions. */
const ofUser: readonly string[] = [
  ...[
    '.agent',
    '.agent-agent',
    '.ssh',
    '.aws',
    '.kube',
    '.gnupg',
    '.netrc',
    '.azure',
    '.config/gcloud',
    '.config/gh',
    '.git-credentials',
    '.pypirc',
    '.npmrc',
  ],
  ...['.pgpass', '.my.cnf', '.vault-token', '.cargo/credentials.toml', '.cargo/credentials', '.terraform.d/credentials.tfrc.json'],
  ...['op', 'rclone', 'hub', 'doctl', 'hcloud', 'flyctl'].map((name) => `.config/${name}`),
  ...['bash', 'zsh', 'python', 'node_repl', 'psql', 'mysql'].map((name) => `.${name}_history`),
  ...['.docker/config.json', '.docker/run', '.password-store', '.local/share/keyrings', '.Xauthority'],
  ...['.mozilla', '.librewolf', '.thunderbird', 'snap/firefox', 'snap/chromium', 'snap/brave'],
  ...['google-chrome', 'google-chrome-beta', 'chromium', 'BraveSoftware', 'microsoft-edge', 'vivaldi', 'opera'].map(
    (name) => `.config/${name}`,
  ),
  ...['org.mozilla.firefox', 'com.google.Chrome', 'org.chromium.Chromium', 'com.brave.Browser', 'com.microsoft.Edge'].map(
    (name) => `.var/app/${name}`,
  ),
  ...['Keychains', 'Safari', 'Cookies', 'Containers/com.apple.Safari'].map((name) => `Library/${name}`),
  ...['Google/Chrome', 'Chromium', 'Firefox', 'BraveSoftware', 'Microsoft Edge', 'Vivaldi', 'Arc'].map(
    (name) => `Library/Application Support/${name}`,
  ),
]

/** What root could read, and sockets outside of /run that give away the machine. */
const ofMachine: readonly string[] = ['/etc/shadow', '/etc/gshadow', '/var/lib/lxd/unix.socket', '/var/snap/lxd/common/lxd/unix.socket']

/** What a shell or a session of the user runs: it stays as it is where the workspace takes it in. */
const startFiles: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.gitconfig'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.config/fish', '.config/git', '.config/systemd', '.config/autostart'],
]

/** Files with secrets of a project, which programs may read and nobody changes. */
const projectFiles: readonly string[] = ['.env', '.env.local', '.env.production', '.envrc']

/** What no command sees, whatever the settings say. */
export function hiddenOf(userHome: string): readonly string[] {
  return [...ofUser.map((name) => `${userHome}/${name}`), ...ofMachine]
}

/** What no command changes, although it lies in a folder that it may write to. */
export function fixedOf(userHome: string, workspace: string): readonly string[] {
  return [...startFiles.map((name) => `${userHome}/${name}`), ...projectFiles.map((name) => `${workspace}/${name}`)]
}
