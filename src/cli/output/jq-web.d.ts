declare module 'jq-web' {
  interface Jq {
    /** Runs a program over a JSON text. @throws Error with jq's message and `Non-zero exit code: N` */
    raw(json: string, program: string, flags: readonly string[]): string
  }
  /** Resolves when the WebAssembly module is loaded. */
  const jq: Promise<Jq>
  // biome-ignore lint/style/noDefaultExport: the package exports this
  export default jq
}
