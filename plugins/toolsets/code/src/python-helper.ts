/**
 * What runs before a script in Python, which comes on the standard input: it makes a function of each tool. They are names of the script, and those of a
 * module `agent_tools` for files that the script imports. Files of the folder come after the library of Python: one that is called like a part of it would
 * run unasked.
 */
export const pythonHelper = (pipe: number, tools: Readonly<Record<string, readonly string[]>>): string => `
def agent_start():
    import sys
    sys.path = [each for each in sys.path if each]
    import json, linecache, os, socket, threading, traceback, types

    link = socket.socket(fileno=${pipe})
    link.set_inheritable(False)
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
            stream.write(line)
            stream.flush()
            answer = stream.readline()
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
    code = sys.stdin.buffer.read().decode('utf-8')
    packages = [at for at, each in enumerate(sys.path) if each.endswith('-packages')]
    sys.path.insert(packages[0] if packages else len(sys.path), os.getcwd())
    script = types.ModuleType('__main__')
    script.__dict__.update(known)
    sys.modules['__main__'] = script
    linecache.cache['script.py'] = (len(code), None, code.splitlines(True), 'script.py')
    try:
        exec(compile(code, 'script.py', 'exec'), script.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
        sys.exit(1)

agent_start()
`
