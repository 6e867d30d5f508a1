/** A fetch that follows no redirect. Reading an answer of more than `maxBytes` rejects. */
export function boundedFetch(maxBytes: number) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: "error" });
    if (response.body === null) return response;
    let bytes = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) controller.error(new RangeError(`the answer is longer than ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}
