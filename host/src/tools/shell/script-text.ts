/** What a program in a scripting language could do, as far as its text tells. */
export interface ScriptFindings {
  /** It changes files, runs programs or hides what it does. */
  readonly harmful: boolean
  /** It deletes whole folders. */
  readonly deletesTrees: boolean
  /** It writes files. */
  readonly writes: boolean
  /** Texts in it that look like paths. */
  readonly paths: readonly string[]
  /** Texts in it that a shell would run. */
  readonly commands: readonly string[]
}

const deletes =
  /rmtree|rmSync|rm_rf|rm_r\b|remove_entry|remove_dir|remove_tree|rimraf|\bfs(Promises|\.promises)?\.rm\b|\brmdir|\bdel(ete)?tree|\bunlink|\bos\.remove|\.remove\(|FileUtils|\brm\s+-|(?<![.\w])rm\s*\(|shutil|\bdel\(|File\.delete|Dir\.delete|deleteSync|removeSync|emptyDir|(?<!\.)\bdelete\(|file\s+delete|delete-(directory|file)|Remove-Item/i
const writes =
  /\bopen\s*\([^)]*['"][rbt]*[wax+][rbt+]*['":]|\bopen\s*\(?\s*\w+\s*,\s*['"]\+?>|write_?(file|text|bytes)|writeFileSync|appendFile|File\.(write|open|rename|symlink)|IO\.write|file_put_contents|fwrite|fopen|truncate|\brename|\breplace\(|copy(file|tree|Sync)?\(|copyFile|symlink|createWriteStream|\bpatch\s*\(|cpSync|\bfs\.cp\b|\bos\.(link|mkfifo)|\bmkdir|chmod|chown|utime|\.save\(|to_csv|\.dump\(.*open|>>/i
const runs =
  /\bsystem\b|popen|exec[lv]?[pe]*\b|execSync|spawn|subprocess|child_process|\bfork\b|\bkill|`[^`]*`|%x[({[]|\beval\b|compile\(|__import__|importlib|ctypes|\bpty\b|\bsignal\b|process\.(kill|exit|binding|mainModule|dlopen)|Deno\.|Bun\.|shell_exec|passthru|proc_open|Kernel\.|Process\.(spawn|exec|daemon|ppid|fork)|Open3|\bshell-command|call-process|(^|\n)\s*:?[wr]!?\s+\S|(^|\n)\s*:?!|\bqx\b|IO\.popen|do\s+shell\s+script|\b(write-(file|region)|save-buffer|append-to-file)\b|os\.(system|exec|spawn|kill|popen|startfile)|getattr|globals\(|__builtins__|vars\(|Function\(|constructor\[|runpy|__dict__|_getframe|f_(locals|globals)|\bvm\b|\bdo\s*\{|-s\s/i
const hides =
  /base64|b64decode|fromCharCode|unhexlify|fromhex|codecs|\bchr\(|\bpack\(|atob|\\x[\da-f]{2}|\\u00|\\u\{|\\[0-7]{3}|Buffer\.from|rot13|\[::-1\]|reverse\(\)\.join|zlib|marshal|pickle|decode\(/i
const network =
  /\burllib|requests\.|http\.client|socket|\bfetch\(|https?\.(get|request)|net\.connect|Net::HTTP|LWP|ftplib|smtplib|paramiko|['"](node:)?(net|tls|https?|http2|dgram|dns)['"/]|xmlrpc|imaplib|poplib|webbrowser/i
const reads =
  /\bopen\s*\(|readFile|read_text|read_bytes|File\.read|IO\.read|file_get_contents|readlines|slurp|createReadStream|readdir|listdir|glob|walk\(|scandir|pathlib|\bPath\(|os\.(environ|path)|process\.env|require\(\s*['"](node:)?fs/
const expanded =
  /homedir|expanduser|Path\.home|environ|process\.env|ENV\[|getenv|join\(|\+\s*['"]|['"]\s*\+|`[^`]*\$\{|\bf['"]|%\s*\(|\.format\(|concat|argv/
const literals = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

export function readScript(written: string): ScriptFindings {
  // Python takes a name in other letters of the same kind for the same name.
  const text = written.normalize('NFKC')
  const quoted = [...text.matchAll(literals)].map((found) => found[1] ?? found[2] ?? found[3] ?? '')
  const deletesTrees = deletes.test(text)
  const isWriting = writes.test(text)
  // A file that is named in full can be judged; one that is put together while the program runs cannot.
  const hidden = hides.test(text) || (reads.test(text) && expanded.test(text))
  return {
    harmful: deletesTrees || isWriting || runs.test(text) || hidden || network.test(text),
    deletesTrees,
    writes: isWriting,
    paths: quoted.filter((each) => each !== '' && each.length < 500 && !/\s{2}|\n/.test(each)),
    commands: quoted.filter((each) => /\w\s+\S/.test(each)),
  }
}
