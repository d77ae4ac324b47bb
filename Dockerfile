# All that headwise is built and tested with, for everyone who is not on Debian 12:
#   docker build --tag headwise . && docker run --rm -it --init -v "$PWD:/headwise" -p 4173:4173 headwise
# The Emscripten SDK is of the version that scripts/setup.sh pins; its own image has no Debian below
# it, for which there are browsers to test in.
FROM emscripten/emsdk:3.1.69 AS emsdk

FROM node:20-bookworm
COPY --from=emsdk /emsdk /emsdk
ENV EMSDK=/emsdk \
    HEADWISE_TOOLCHAIN=/opt/headwise-toolchain \
    PATH=/emsdk/upstream/emscripten:$PATH
WORKDIR /headwise
COPY scripts/setup.sh scripts/
COPY scripts/setup scripts/setup/
RUN scripts/setup.sh && rm -rf /var/lib/apt/lists/*
CMD ["npm", "start", "--", "--host=0.0.0.0"]
