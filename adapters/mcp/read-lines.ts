import type { Readable } from 'node:stream'

/** What hears a stream's lines. */
export interface LineReader {
  line(text: string): void
  end?(): void
}

/**
 * Reads lines that end in a line feed, which alone delimits messages of MCP: a carriage return or a line separator,
 * which `readline` takes for an end too, may stand in one. Returns what stops it.
 */
export function readLines(stream: Readable, reader: LineReader): () => void {
  let begun: string[] = []
  const onData = (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n')
    begun.push(first)
    for (const next of others) {
      reader.line(begun.join(''))
      begun = [next]
    }
  }
  const onEnd = () => {
    const last = begun.join('')
    if (last !== '') reader.line(last)
    reader.end?.()
  }
  stream.setEncoding('utf8').on('data', onData).once('end', onEnd)
  return () => stream.off('data', onData).off('end', onEnd).pause()
}
