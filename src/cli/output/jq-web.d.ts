declare module 'jq-web' {
  interface Jq {
    /** Runs a program over a JSON text; undefined when it has no result. @throws Error with jq's message and `Non-zero exit code: N` */
    raw(json: string, program: string, flags: readonly string[]): string | undefined
  }
  /** Resolves when the WebAssembly module is loaded. */
  const jq: Promise<Jq>
  // biome-ignore lint/style/noDefaultExport: the package exports this
  export default jq
}
