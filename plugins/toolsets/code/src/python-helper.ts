/**
 * Runs scripts in Python, one after the other in one module, as they come on their pipe. It makes a function of each tool: names of the scripts, and those
 * of a module `agent_tools` for files that a script imports. Files of the folder come after the library of Python: one that is called like a part of it
 * would run unasked. A thread follows the pipe, so that a script that never ends does not outlive the other end of it.
 */
export const pythonHelper = (
  pipes: { readonly calls: number; readonly orders: number },
  tools: Readonly<Record<string, readonly string[]>>,
): string => `
def agent_start():
    import sys
    sys.path = [each for each in sys.path if each]
    import _thread, json, linecache, os, queue, signal, socket, threading, traceback, types

    link = socket.socket(fileno=${pipes.calls})
    orders = socket.socket(fileno=${pipes.orders})
    for each in (link, orders):
        each.set_inheritable(False)
    stream = link.makefile('rwb')
    lock = threading.Lock()

    class ToolError(Exception):
        pass

    class ToolResult:
        def __init__(self, text, data):
            self.text = text
            self.data = data

        def __str__(self):
            return self.text

    def call(tool, args):
        line = json.dumps({'tool': tool, 'args': args}).encode() + b'\\n'
        with lock:
            try:
                stream.write(line)
                stream.flush()
                answer = stream.readline()
            except OSError:
                answer = b''
        if not answer:
            raise ToolError('nobody answers any more')
        found = json.loads(answer)
        if not found['ok']:
            raise ToolError(found['text'])
        return ToolResult(found['text'], found.get('data'))

    def function_of(tool, names):
        def run(*given, **named):
            if len(given) > len(names):
                raise TypeError(tool + ' takes these without a name: ' + ', '.join(names))
            return call(tool, {**dict(zip(names, given)), **named})
        run.__name__ = tool
        return run

    known = {name: function_of(name, names) for name, names in json.loads(${JSON.stringify(JSON.stringify(tools))}).items()}
    known.update(ToolError=ToolError)
    helper = types.ModuleType('agent_tools')
    helper.__dict__.update(known)
    sys.modules['agent_tools'] = helper
    packages = [at for at, each in enumerate(sys.path) if each.endswith('-packages')]
    sys.path.insert(packages[0] if packages else len(sys.path), os.getcwd())
    script = types.ModuleType('__main__')
    script.__dict__.update(known)
    sys.modules['__main__'] = script

    owner = os.getpid()
    outputs = [os.dup(1), os.dup(2)]
    waiting = queue.SimpleQueue()

    def follow():
        with orders.makefile('rb') as lines:
            for line in lines:
                waiting.put(line)
        os.kill(0, signal.SIGKILL)

    def mark(text):
        for output in outputs:
            os.write(output, text.encode())

    def run(code, name, folder):
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        try:
            os.chdir(folder)
            exec(compile(code, name, 'exec', 0, True), script.__dict__)
        except SystemExit as end:
            if end.code is None or isinstance(end.code, int):
                return (end.code or 0) & 255
            print(end.code, file=sys.stderr)
            return 1
        except BaseException as error:
            traceback.print_exception(type(error), error, error.__traceback__.tb_next)
            return 1
        return 0

    def flush():
        for output in (sys.stdout, sys.stderr):
            try:
                output.flush()
            except Exception:
                pass

    _thread.start_new_thread(follow, ())
    number = 0
    while True:
        order = json.loads(waiting.get())
        number += 1
        mark(order['begin'])
        code = run(order['code'], 'script.py' if number == 1 else 'script-%d.py' % number, order['folder'])
        flush()
        if os.getpid() != owner:
            os._exit(code)
        mark(order['end'])
        orders.sendall(json.dumps({'code': code}).encode() + b'\\n')

agent_start()
`
