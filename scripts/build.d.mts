export declare const BUNDLE: string;
export declare function build(): Promise<{ bytes: number }>;
